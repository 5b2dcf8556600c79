// Command httpetag serves products over HTTP so that two people who edit one at the same time do not
// overwrite each other: GET gives an ETag, and changes need it back in If-Match. A change to a row that
// has moved on is 412, one without If-Match is 428. Behind it is a Store's UpdateIfVersion.
//
//	go -C examples run ./httpetag                          a walk-through, on embedded SQLite
//	go -C examples run ./httpetag -dsn 'root@tcp(127.0.0.1:3306)/'
//	go -C examples run ./httpetag -port 8080               serve on 127.0.0.1 until interrupted
//
// On a server it works in a database of its own, which it creates and removes again. SQLCAS_DSN stands
// in for -dsn. SQLCAS_ETAG_SECRET is what ETags are signed with, at least 32 random bytes in hex, as from
// openssl rand -hex 32. Without it the secret is made up, and the ETags end with the process.
//
// What to read is service.go, for what the service promises, and token.go, for what is in an ETag.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
)

// envSecret is the environment variable with the secret. It is no flag: command lines are public.
const envSecret = "SQLCAS_ETAG_SECRET"

// conns bounds the pool.
const conns = 16

// shutdownTimeout is how long requests in flight have to end, once the program is told to.
const shutdownTimeout = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "httpetag:", err)
		os.Exit(1)
	}
}

// run is main without the process.
func run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) (err error) {
	flags := flag.NewFlagSet("httpetag", flag.ContinueOnError)
	flags.SetOutput(errOut)
	dsn := flags.String("dsn", getenv(sandbox.EnvDSN),
		"server, as `user:password@tcp(host:port)/`; a database is created there and removed")
	port := flags.Uint("port", 0, "serve on 127.0.0.1 at this port until interrupted (default: a walk-through)")
	flags.Lookup("dsn").DefValue = "" // it may hold a password
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	tags, err := signerFrom(getenv(envSecret))
	if err != nil {
		return err
	}
	s, err := sandbox.Open(ctx, *dsn, conns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := stock(ctx, s); err != nil {
		return err
	}
	svc := &service{
		// Or pessimistic.NewStore, on a server.
		products: optimistic.NewStore(s.DB, sandbox.Table(s, shop.StockTable), s.Options...),
		tags:     tags,
		timeout:  requestTimeout,
		log:      slog.New(slog.NewTextHandler(errOut, nil)),
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(int(*port)))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	if *port > 0 {
		fmt.Fprintf(out, "http://%s/products/1 on %s; Ctrl-C ends it\n", listener.Addr(), s.About)
		return serve(ctx, listener, svc.handler())
	}
	return whileServing(ctx, listener, svc.handler(), func(ctx context.Context) error {
		return walkThrough(ctx, "http://"+listener.Addr().String(), out)
	})
}

// signerFrom makes a signer of the secret in hex, or of one that it makes up.
func signerFrom(secret string) (*signer, error) {
	if secret == "" {
		raw := make([]byte, minSecret)
		_, _ = rand.Read(raw) // never fails
		return newSigner(raw)
	}
	raw, err := hex.DecodeString(secret)
	if err != nil {
		// Without err, which shows a part of it.
		return nil, fmt.Errorf("%s is not hex: make one by openssl rand -hex %d", envSecret, minSecret)
	}
	tags, err := newSigner(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", envSecret, err)
	}
	return tags, nil
}

// stock enters the products that the service starts with.
func stock(ctx context.Context, s *sandbox.Sandbox) error {
	q := shop.New(s.DB)
	for _, p := range []shop.InsertStockParams{
		{ProductID: 1, Name: "Chai", OnHand: 39}, {ProductID: 2, Name: "Chang", OnHand: 17},
	} {
		if err := q.InsertStock(ctx, p); err != nil {
			return fmt.Errorf("product %d: %w", p.ProductID, err)
		}
	}
	return nil
}

// serve serves until ctx ends. It then takes no more requests, waits for those in flight, whose own
// contexts do not end, and returns nil if all of them have been answered.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      requestTimeout + 10*time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    1 << 14,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(ctx)
	<-ended // http.ErrServerClosed
	return err
}

// whileServing runs fn against the server, and shuts it down afterwards.
func whileServing(
	ctx context.Context, listener net.Listener, handler http.Handler, fn func(context.Context) error,
) error {
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, handler) }()
	err := fn(ctx)
	stop()
	return errors.Join(err, <-served)
}
