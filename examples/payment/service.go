package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

// envServe is the environment variable that makes the program the service, on the database of its DSN. It is no
// flag: command lines are public.
const envServe = "SQLCAS_PAYMENT_SERVE"

// conns bounds the service's pool.
const conns = 16

// service is the process that serves, and its successors.
type service struct {
	dsn    string
	errOut io.Writer // for what the service says

	mu      sync.Mutex
	address string

	cmd      *exec.Cmd
	lifeline io.Closer // the service's standard input: when it is closed, by a death too, the service ends
}

// at is where the service was started last.
func (s *service) at() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address
}

// start starts a process and waits until it serves.
func (s *service) start(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s.cmd = exec.CommandContext(ctx, program)
	s.cmd.Env = append(os.Environ(), envServe+"="+s.dsn)
	s.cmd.Stderr = s.errOut
	if s.lifeline, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	said, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		s.kill()
		return fmt.Errorf("the service does not say where it is: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.address = strings.TrimSpace(line)
	return nil
}

// kill ends the process as kill -9 does.
func (s *service) kill() {
	if s.cmd.Process == nil {
		return // it was never started
	}
	_ = s.cmd.Process.Kill() // or it has ended
	_ = s.cmd.Wait()         // says that it was killed
}

// stop lets the process answer what it is at, and end.
func (s *service) stop() error {
	_ = s.lifeline.Close()
	return s.cmd.Wait()
}

// ownDSN is the DSN for the database that db is on.
func ownDSN(ctx context.Context, db *sql.DB, dsn string) (string, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return "", err
	}
	cfg.InterpolateParams = true // half of the round trips
	if err := db.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&cfg.DBName); err != nil {
		return "", err
	}
	return cfg.FormatDSN(), nil
}

// serveUntilOrphaned is the service: it says where it serves, and goes on until in ends.
func serveUntilOrphaned(dsn string, in io.Reader, out, errOut io.Writer) error {
	signal.Ignore(os.Interrupt) // of the terminal's whole group; the parent ends the service when it is done
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler(newLedgerStore(db), slog.New(slog.NewTextHandler(errOut, nil))),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      requestTimeout + 10*time.Second,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, in) // until the parent closes it, or has died
	ctx, cancel := context.WithTimeout(context.Background(), 2*requestTimeout)
	defer cancel()
	err = server.Shutdown(ctx)
	<-ended // http.ErrServerClosed
	return err
}
