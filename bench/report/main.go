// Command report measures what the targets of docs/benchmarks.md are about, and writes that page and its pictures.
//
//	make bench
//	go run ./internal/cmd/withdb -durable -- go -C bench run ./report
//
// It runs bench/harness and bench/store, which print their tables, and on each server, several times, sqlcas bench.
// Every number and every verdict on the page comes out of what these have written; none is typed. If one of them fails,
// or finds an update that was lost, the page stays as it is. What they have written stays in a temporary folder, as JSON,
// whose name is printed.
//
// -quick is a trial of about a minute, whose numbers mean nothing; it writes the page into the temporary folder.
// -out is another folder than ../docs, as seen from bench, where the command has to be run.
//
// Servers come from SQLCAS_TEST_DSNS (name=dsn;name=dsn), which withdb sets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/sqlcas/sqlcas/internal/benchdb"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], benchdb.Listed(), os.Stdout, os.Stderr, (*exec.Cmd).Run)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// starter runs a command to its end.
type starter func(*exec.Cmd) error

// run measures everything on all servers, and writes the page.
func run(ctx context.Context, args []string, servers []benchdb.Server, out, told io.Writer, start starter) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(told)
	quick := flags.Bool("quick", false, "try it in about a minute, and write the page into the temporary folder")
	docs := flags.String("out", filepath.Join("..", "docs"), "`folder` to write benchmarks.md and benchmarks/*.svg into")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is no flag: report takes flags alone", flags.Arg(0))
	case len(servers) == 0:
		return errors.New("SQLCAS_TEST_DSNS names no server: go run ./internal/cmd/withdb -durable -- go -C bench run ./report")
	}
	work, err := os.MkdirTemp("", "sqlcas-bench-")
	if err != nil {
		return err
	}
	fmt.Fprintf(told, "report: what is measured is kept in %s\n", work)
	if *quick {
		*docs = work
	}
	p := planned(*quick)
	p.announce(told, len(servers))
	m := measurer{plan: p, work: work, out: out, told: told, start: start}
	all, err := m.measure(ctx, servers)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: no page is written")
	case err != nil:
		return fmt.Errorf("%w: no page is written", err)
	}
	if err := publish(*docs, work, all, *quick); err != nil {
		return err
	}
	fmt.Fprintf(told, "report: wrote %s\n", filepath.Join(*docs, pageName))
	return nil
}
