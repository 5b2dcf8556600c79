// Command inventory replays order lines against stock with many workers at once, by each of
// sqlcas's strategies and by hand-written row locks beside them, and prints rates, latencies and
// whether the books balance.
//
//	go -C examples run ./inventory                         embedded SQLite, the optimistic half
//	go -C examples run ./inventory -dsn 'root@tcp(127.0.0.1:3306)/'
//	go -C examples run ./inventory -products p.csv -orders o.csv -workers 128
//	go -C examples run ./inventory -whole                  whole orders, all lines or none
//
// On a server it works in a database of its own, which it creates and removes again, also when it
// is interrupted. SQLCAS_DSN stands in for -dsn. It ends with 1 if anything does not reconcile,
// with 2 on a wrong command line or file, and with 130 when it was interrupted.
//
// The replay itself is in package replay; this is flags, a progress bar and a table.
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

	"github.com/sqlcas/sqlcas/examples/inventory/replay"
	"github.com/sqlcas/sqlcas/examples/sandbox"
)

// Exit codes.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// maxConns bounds the pool: a server takes 151 connections unless it is told otherwise. With more
// workers than this some wait for a connection, which counts as their latency.
const maxConns = 64

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv(sandbox.EnvDSN), os.Stdout, os.Stderr))
}

// run is main with an exit code. envDSN is what the environment has instead of -dsn.
func run(ctx context.Context, args []string, envDSN string, out, errOut io.Writer) int {
	c, err := parse(args, envDSN, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		if !errors.Is(err, errReported) {
			fmt.Fprintln(errOut, "inventory:", err)
		}
		return exitUsage
	}
	data, err := c.read()
	if err != nil {
		fmt.Fprintln(errOut, "inventory:", err)
		return exitUsage
	}
	reconciled, err := demonstrate(ctx, c, data, out, errOut)
	switch {
	case ctx.Err() != nil:
		if errors.Is(err, sandbox.ErrLeftBehind) {
			fmt.Fprintln(errOut, "inventory:", err)
		}
		fmt.Fprintln(errOut, "inventory: interrupted; the table is not complete")
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(errOut, "inventory:", err)
		return exitFailed
	case !reconciled:
		return exitFailed
	}
	return 0
}

// demonstrate replays the data by each strategy that the database can run, and reports whether
// everything reconciled.
func demonstrate(
	ctx context.Context, c *config, data *replay.Data, out, errOut io.Writer,
) (reconciled bool, err error) {
	s, err := sandbox.Open(ctx, c.dsn, min(c.workers, maxConns))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.Embedded {
		fmt.Fprintf(out, "No server given, so this is the optimistic half alone, on %s.\n"+
			"Give -dsn or set %s to see all of it on MySQL or MariaDB.\n\n", s.About, sandbox.EnvDSN)
	} else {
		fmt.Fprintf(out, "Server: %s\n", s.About)
	}
	chosen, err := c.strategies(s.Embedded)
	if err != nil {
		return false, err
	}
	introduce(out, c, data)
	var results []*replay.Result
	for _, strategy := range chosen {
		bar := startBar(errOut, strategy.Title, len(strategy.Orders(data)))
		setup := replay.Setup{
			DB: s.DB, Workers: c.workers, Options: s.Options, NoLocks: s.Embedded, Done: bar.step,
		}
		result, err := replay.Run(ctx, setup, data, strategy)
		bar.finish()
		if err != nil {
			return false, err
		}
		results = append(results, result)
	}
	if err := printTable(out, results); err != nil {
		return false, err
	}
	legend := linesLegend
	if c.whole {
		legend = ordersLegend
	}
	return verdict(out, errOut, results, legend), nil
}
