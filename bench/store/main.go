// Command store measures what a Store costs beside the same work written by hand.
//
//	go run ./internal/cmd/withdb -durable -- go -C bench run ./store
//
// On each server, and with each added round trip, it sets side by side
//
//   - one caller on a quiet row: optimistic.Store.Update beside SELECT and version-checked UPDATE, with
//     a deadline on each call, as servers have it, and with context.Background();
//   - the same beside a Store WithoutCombining, which knows of no line to stand in;
//   - many callers over many rows, which each draws evenly: the same two, by hand trying again at once until
//     it has won, with a connection per caller;
//   - one caller on a quiet row: pessimistic.Store.Update beside BEGIN, SELECT FOR UPDATE, UPDATE, COMMIT.
//
// Both sides send the same SQL, through the same pool. One caller does them in turns, call by call, in
// the order ABBA, and each round counts by the medians of its calls; many callers do slices of time, by
// turns, and each round counts by calls per second. What is printed is the median over the rounds, with
// the quartiles.
//
// After each slice, and after each run of one caller, the rows must show every update that was reported:
// by the sum of the balances and by that of the versions. If one is missing, nothing of that server is
// printed, and the exit code is 1.
//
// Servers come from SQLCAS_TEST_DSNS (name=dsn;name=dsn), which withdb sets; withdb -servers takes fewer
// of them. Each gets a database of its own, which is removed at the end. The whole takes about five
// minutes on three servers; progress is shown on a terminal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/progress"
)

// plan is what to measure, and how much.
type plan struct {
	rounds, pairs int
	slice         time.Duration
	callers, rows int
	roundTrips    []time.Duration
	comparisons   []comparison
	json          string // file to write all outcomes to; empty: none
}

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	p, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, p, benchdb.Listed(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run measures all servers and returns the exit code. A server's table is printed when it is complete.
func run(ctx context.Context, p plan, servers []benchdb.Server, out io.Writer, complaints *os.File) int {
	if len(servers) == 0 {
		fmt.Fprintln(complaints, "store: SQLCAS_TEST_DSNS names no server: "+
			"go run ./internal/cmd/withdb -durable -- go -C bench run ./store")
		return exitFailed
	}
	fmt.Fprintf(out, "Ratio: throughput of the Store / by hand, median of %d rounds [quartiles]. "+
		"Client and server share %d CPUs.\n"+
		"A round trip is added by a sleep in the client's connection before it hands over an answer.\n",
		p.rounds, runtime.NumCPU())
	bar := progress.Start(complaints, len(servers)*len(p.roundTrips)*len(p.comparisons)*(p.rounds+1))
	var all []outcome
	for _, s := range servers {
		o, err := measure(ctx, s, p, bar)
		bar.Clear()
		switch {
		case ctx.Err() != nil:
			fmt.Fprintln(complaints, "store: interrupted")
			return exitFailed
		case err != nil:
			fmt.Fprintf(complaints, "store: %s: %v\n", s.Name, err)
			return exitFailed
		}
		fmt.Fprint(out, o.text())
		all = append(all, o)
	}
	if err := save(p.json, all); err != nil {
		fmt.Fprintln(complaints, "store: -json:", err)
		return exitFailed
	}
	return 0
}

// save writes all outcomes into a file, if it has a name.
func save(path string, all []outcome) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(writeJSON(f, all), f.Close())
}

// parse reads the command line; its errors name the mend.
func parse(args []string, usage io.Writer) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("store", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.IntVar(&p.rounds, "rounds", 31, "rounds per comparison")
	flags.IntVar(&p.pairs, "pairs", 60, "pairs of calls per round of one caller")
	flags.DurationVar(&p.slice, "slice", 125*time.Millisecond,
		"how long many callers work at a time, 8 times a round")
	flags.IntVar(&p.callers, "callers", 64, "how many callers many are, each with a connection")
	flags.IntVar(&p.rows, "rows", 10_000, "how many rows many callers change")
	trips := flags.String("rtt", "0,1ms", "round trips to add, such as 0,500us,1ms")
	flags.StringVar(&p.json, "json", "", "write what was measured to this `file`, too")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	for _, text := range strings.Split(*trips, ",") {
		d, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil || d < 0 {
			return p, fmt.Errorf("-rtt: %q is no round trip: give durations such as 0,500us,1ms", text)
		}
		p.roundTrips = append(p.roundTrips, d)
	}
	switch {
	case flags.NArg() > 0:
		return p, fmt.Errorf("%q is no flag: store takes flags alone", flags.Arg(0))
	case p.rounds < 1 || p.pairs < 1 || p.callers < 1 || p.rows < 1 || p.slice <= 0:
		return p, errors.New("-rounds, -pairs, -slice, -callers and -rows must be positive")
	}
	p.comparisons = comparisons(p.callers, p.rows)
	return p, nil
}
