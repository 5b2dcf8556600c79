// Command payment takes payments over HTTP so that each is made once, whatever is repeated or killed: POST with
// an Idempotency-Key. It starts the service as a process of its own, sends payments from many callers at once,
// kills the service with kill -9 in mid-run and starts it again, while the callers repeat what they have no
// answer to. In the end it compares what the callers were told with accounts, ledger and operation ids.
//
//	go run ./internal/cmd/withdb -one -- go -C examples run ./payment
//	go -C examples run ./payment -dsn 'root@tcp(127.0.0.1:3306)/'
//
// It needs a server, since the library's table of operation ids is not for SQLite, and works there in a database
// of its own, which it creates and removes again. SQLCAS_DSN stands in for -dsn. It ends with 1 if the books do
// not balance.
//
// What to read is server.go, for what the service promises, pay.go, for how it keeps that, and client.go, for what
// a client has to do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sqlcas/sqlcas/examples/sandbox"
	"github.com/sqlcas/sqlcas/schema"
)

var (
	// errNoServer says what is missing, and where to get it.
	errNoServer = errors.New("operation ids need MySQL or MariaDB; give a server with -dsn, " +
		"or run it under: go run ./internal/cmd/withdb -one")
	// errWrong says that the reconciliation found something, which is printed already.
	errWrong = errors.New("the books do not balance")
)

func main() {
	if dsn := os.Getenv(envServe); dsn != "" {
		if err := serveUntilOrphaned(dsn, os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, "payment: the service:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Getenv(sandbox.EnvDSN), os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "payment:", err)
		os.Exit(1)
	}
}

// run is main without the process. envDSN is what the environment has instead of -dsn.
func run(ctx context.Context, args []string, envDSN string, out, errOut io.Writer) (err error) {
	var l load
	flags := flag.NewFlagSet("payment", flag.ContinueOnError)
	flags.SetOutput(errOut)
	dsn := flags.String("dsn", envDSN,
		"server, as `user:password@tcp(host:port)/`; a database is created there and removed")
	flags.IntVar(&l.accounts, "accounts", 4, "accounts; the first takes part in three of four payments")
	flags.IntVar(&l.payments, "payments", 3000, "payments to ask for")
	flags.IntVar(&l.callers, "callers", 64, "payments under way at a time")
	flags.IntVar(&l.kills, "kills", 5, "times that the service is killed")
	flags.Lookup("dsn").DefValue = "" // it may hold a password
	if err := flags.Parse(args); err != nil {
		return err
	}
	if min(l.accounts, l.payments, l.callers) < 1 || l.kills < 0 || flags.NArg() > 0 {
		return errors.New("give at least 1 for each number, 0 for -kills, and nothing else")
	}
	if *dsn == "" {
		return errNoServer
	}
	s, err := sandbox.Open(ctx, *dsn, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, statement := range schema.Sqlcas() { // what `sqlcas migrate sqlcas` prints
		if _, err := s.DB.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("create the table of operation ids: %w", err)
		}
	}
	asked := l.draw()
	open, err := openAccounts(ctx, s.DB, l.accounts, asked)
	if err != nil {
		return err
	}
	own, err := ownDSN(ctx, s.DB, *dsn)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d payments from %d accounts, %d at a time, every fifth sent twice at once,\non %s\n\n",
		l.payments, l.accounts, l.callers, s.About)
	sum, err := l.send(ctx, &service{dsn: own, errOut: errOut}, asked, out)
	if err != nil {
		return err
	}
	found, err := reconcile(ctx, s.DB, open, sum.told)
	if err != nil {
		return err
	}
	if err := report(out, sum, found); err != nil {
		return err
	}
	for _, w := range found.wrong {
		fmt.Fprintln(errOut, "payment: WRONG:", w)
	}
	if len(found.wrong) > 0 {
		return errWrong
	}
	return nil
}
