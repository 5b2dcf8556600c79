// Command harness measures what sqlcas's harnesses cost.
//
//	go run ./internal/cmd/withdb -durable -- go -C bench run ./harness
//
// For each server it sets a UpdateTx beside the same transaction written by hand (BEGIN, SELECT,
// version-checked UPDATE, COMMIT) for one caller on a quiet row. The two take turns, transaction by
// transaction, in the order ABBA, so that whatever else the machine does hits both alike. Of each
// round it takes the medians; what it prints is the median over the rounds, with the quartiles as
// the spread. Without a server it measures the plain harness alone, whose attempt does nothing.
//
// Servers come from SQLCAS_TEST_DSNS (name=dsn;name=dsn), which withdb sets. Each gets a database
// of its own, which is removed at the end.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"testing"
	"text/tabwriter"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/progress"
	"github.com/sqlcas/sqlcas/optimistic"
)

func main() {
	rounds := flag.Int("rounds", 21, "rounds per server")
	pairs := flag.Int("pairs", 60, "pairs of transactions per round")
	flag.Parse()
	if *rounds < 1 || *pairs < 1 {
		fmt.Fprintln(os.Stderr, "harness: -rounds and -pairs must be at least 1")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *rounds, *pairs)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds, pairs int) error {
	alone := testing.Benchmark(plainHarness)
	fmt.Printf("plain Update, no database, first attempt succeeds: %d ns, %d allocs\n\n",
		alone.NsPerOp(), alone.AllocsPerOp())

	servers := benchdb.Listed()
	bar := progress.Start(os.Stderr, len(servers)*(rounds+1))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "server\tsettings\tby hand µs\tUpdateTx µs\toverhead µs [quartiles]\tratio [quartiles]\t")
	for _, s := range servers {
		bar.Describe(s.Name)
		r, err := measure(ctx, s.DSN, rounds, pairs, bar.Step)
		bar.Clear()
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		fmt.Fprintf(w, "%s %s\t%s\t%.0f\t%.0f\t%s\t%s\t\n", s.Name, r.version, r.settings,
			r.Base.Median(), r.Ours.Median(), r.Excess.Spread(1), r.Ratio.Spread(3))
	}
	return w.Flush()
}

// plainHarness is Update around nothing.
func plainHarness(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	for b.Loop() {
		if err := optimistic.Update(ctx, func(context.Context) (int64, error) { return 1, nil }); err != nil {
			b.Fatal(err)
		}
	}
}
