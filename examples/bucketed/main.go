// Command bucketed sells one product whose stock is spread over several rows, buckets, to many sellers at once,
// and sells the last unit exactly once: an order gets all of its units, if need be from several buckets, or is
// refused because there were not enough in all of them together. Afterwards it adds everything up.
//
//	go -C examples run ./bucketed
//	go run ./internal/cmd/withdb -one -durable -- go -C examples run ./bucketed
//	go -C examples run ./bucketed -dsn 'root@tcp(127.0.0.1:3306)/'
//
// It does so with one row and with several, and in four ways, so that one sees when buckets pay. They do where
// writers of one row wait for each other and nothing is combined: many processes with one caller each (here: a
// Store for each worker; calls of two Stores do not meet), and changes that are written alone, as in a
// transaction with other statements. In one process, and in a few with many callers each, a single row is
// better: orders that meet on it are written together, and of those spread over buckets fewer meet. And buckets
// cost: a sum to read, orders that no bucket can fill alone, stock to spread anew.
//
// The numbers are those of this machine and server. Embedded SQLite has one writer at a time, whatever the rows:
// there is nothing to gain on it. On a server it works in a database of its own, which it creates and removes
// again. SQLCAS_DSN stands in for -dsn. It ends with 1 if the books do not balance.
//
// What to read is stock.go, and table.go for a descriptor of a table with a key of two columns.
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
	"time"

	"github.com/sqlcas/sqlcas/examples/sandbox"
)

// errWrong says that the audit found something, which is printed already.
var errWrong = errors.New("the books do not balance")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Getenv(sandbox.EnvDSN), os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bucketed:", err)
		os.Exit(1)
	}
}

// run is main without the process. envDSN is what the environment has instead of -dsn.
func run(ctx context.Context, args []string, envDSN string, out, errOut io.Writer) (err error) {
	var l load
	flags := flag.NewFlagSet("bucketed", flag.ContinueOnError)
	flags.SetOutput(errOut)
	dsn := flags.String("dsn", envDSN,
		"server, as `user:password@tcp(host:port)/`; a database is created there and removed")
	buckets := flags.Int("buckets", 16, "rows to spread the stock over")
	stores := flags.Int("stores", 4, "Stores that stand for as many processes")
	flags.IntVar(&l.stock, "stock", 1200, "units")
	flags.IntVar(&l.orders, "orders", 500, "orders to take")
	flags.IntVar(&l.largest, "largest", 5, "most units in an order")
	flags.IntVar(&l.workers, "workers", 32, "orders in flight at a time, and connections")
	flags.Lookup("dsn").DefValue = "" // it may hold a password
	if err := flags.Parse(args); err != nil {
		return err
	}
	if min(*buckets, *stores, l.stock, l.orders, l.largest, l.workers) < 1 || flags.NArg() > 0 {
		return errors.New("give at least 1 for each number, and nothing else")
	}
	box, err := sandbox.Open(ctx, *dsn, l.workers+1) // one to end a statement from
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	fmt.Fprintf(out, "%d orders of 1 to %d units, %d at a time, for a product with %d units,\non %s\n\n",
		l.orders, l.largest, l.workers, l.stock, box.About)
	if err := create(ctx, box); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "orders by\trows\torders/s\tfrom the first\tanother\tseveral\trefused\tbalanced")
	balanced := true
	for i, s := range setups(*stores, l.workers, *buckets) {
		wrong, err := compare(ctx, box, uint64(i+1), s, l, w)
		if err != nil {
			return err
		}
		for _, text := range wrong {
			fmt.Fprintf(errOut, "bucketed: WRONG: %s, %d rows: %s\n", s.name, s.buckets, text)
			balanced = false
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if !balanced {
		return errWrong
	}
	return nil
}

// compare delivers a product, sells it in the given way and prints a line about it. It returns what is wrong.
func compare(
	ctx context.Context, box *sandbox.Sandbox, product uint64, s setup, l load, out io.Writer,
) (wrong []string, err error) {
	if err := deliver(ctx, box.DB, product, s.buckets, l.stock); err != nil {
		return nil, err
	}
	stocks := s.open(box)
	writes := 0
	moved, err := stocks[0].rebalance(ctx, product)
	if err != nil {
		return nil, err
	}
	if moved > 0 {
		writes++
	}
	sales, elapsed, err := trade(ctx, stocks, product, l)
	if err != nil {
		return nil, err
	}
	buckets, err := stocks[0].read(ctx, product)
	if err != nil {
		return nil, err
	}
	if len(buckets) != s.buckets {
		return nil, fmt.Errorf("product %d has %d buckets, expected %d", product, len(buckets), s.buckets)
	}
	wrong = audit(buckets, int64(l.stock), sales, writes)
	report(out, s, sales, elapsed, len(wrong) == 0)
	return wrong, nil
}

// report prints what one way has come to.
func report(out io.Writer, s setup, sales []sale, elapsed time.Duration, right bool) {
	var ways [3]int
	refused := 0
	for _, s := range sales {
		if s.sold {
			ways[s.way]++
		} else {
			refused++
		}
	}
	verdict := "yes"
	if !right {
		verdict = "NO"
	}
	fmt.Fprintf(out, "%s\t%d\t%.0f\t%d\t%d\t%d\t%d\t%s\n", s.name, s.buckets,
		float64(len(sales))/elapsed.Seconds(), ways[fromFirst], ways[fromOther], ways[gathered], refused, verdict)
}
