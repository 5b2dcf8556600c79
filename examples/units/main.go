// Command units sells stock that is kept as a row for each unit, with many workers at once: an order gets
// all of its units or none. Orders for one product do not wait for each other, as they do for a row with
// a number in it: each takes rows that nobody else holds, by pessimistic.Store.Take, which is FOR UPDATE
// SKIP LOCKED. Afterwards it adds everything up.
//
//	go run ./internal/cmd/withdb -one -- go -C examples run ./units
//	go -C examples run ./units -dsn 'root@tcp(127.0.0.1:3306)/'
//
// It needs a server, since SQLite has no row locks, and works there in a database of its own, which it
// creates and removes again. SQLCAS_DSN stands in for -dsn. It ends with 1 if a unit was sold twice, or an
// order refused for which there were units.
//
// What to read is sell.go, and table.go for a descriptor of a table of your own.
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
	"text/tabwriter"

	"github.com/sqlcas/sqlcas/examples/sandbox"
)

var (
	// errNoServer says what is missing, and where to get it.
	errNoServer = errors.New("SQLite has no FOR UPDATE SKIP LOCKED; give a server with -dsn, " +
		"or run it under: go run ./internal/cmd/withdb -one")
	// errWrong says that the audit found something, which is printed already.
	errWrong = errors.New("the books do not balance")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Getenv(sandbox.EnvDSN), os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "units:", err)
		os.Exit(1)
	}
}

// run is main without the process. envDSN is what the environment has instead of -dsn.
func run(ctx context.Context, args []string, envDSN string, out, errOut io.Writer) (err error) {
	var l load
	flags := flag.NewFlagSet("units", flag.ContinueOnError)
	flags.SetOutput(errOut)
	dsn := flags.String("dsn", envDSN,
		"server, as `user:password@tcp(host:port)/`; a database is created there and removed")
	flags.IntVar(&l.products, "products", 2, "products to sell")
	flags.IntVar(&l.stock, "stock", 500, "units of each")
	flags.IntVar(&l.orders, "orders", 500, "orders to take")
	flags.IntVar(&l.largest, "largest", 5, "most units in an order")
	flags.IntVar(&l.workers, "workers", 32, "orders in flight at a time, and connections")
	flags.Lookup("dsn").DefValue = "" // it may hold a password
	if err := flags.Parse(args); err != nil {
		return err
	}
	if min(l.products, l.stock, l.orders, l.largest, l.workers) < 1 || flags.NArg() > 0 {
		return errors.New("give at least 1 for each number, and nothing else")
	}
	if *dsn == "" {
		return errNoServer
	}
	s, err := sandbox.Open(ctx, *dsn, l.workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Fprintf(out, "%d orders of 1 to %d units, %d at a time, for %d products with %d units each,\non %s\n\n",
		l.orders, l.largest, l.workers, l.products, l.stock, s.About)
	if err := enter(ctx, s.DB, l.products, l.stock); err != nil {
		return err
	}
	sum, err := trade(ctx, s.DB, l)
	if err != nil {
		return err
	}
	wrong, err := audit(ctx, s.DB, sum.sales)
	if err != nil {
		return err
	}
	if err := report(out, l, sum, len(wrong) == 0); err != nil {
		return err
	}
	for _, w := range wrong {
		fmt.Fprintln(errOut, "units: WRONG:", w)
	}
	if len(wrong) > 0 {
		return errWrong
	}
	return nil
}

// report prints what the run came to.
func report(out io.Writer, l load, sum *totals, right bool) error {
	verdict := "yes: no unit was sold twice, and no refused order would have fit"
	if !right {
		verdict = "NO"
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accepted\t%d\t%d units\n", sum.accepted, sum.units)
	fmt.Fprintf(w, "refused\t%d\tnot enough units left\n", l.orders-sum.accepted)
	fmt.Fprintf(w, "orders/s\t%.0f\n", float64(l.orders)/sum.elapsed.Seconds())
	fmt.Fprintf(w, "attempts\t%.2f\tper order, %d at most\n",
		float64(sum.attempts.Load())/float64(l.orders), sum.most.Load())
	fmt.Fprintf(w, "conflicts\t%d\tall units left were held by others\n", sum.conflicts.Load())
	fmt.Fprintf(w, "balanced\t%s\n", verdict)
	return w.Flush()
}
