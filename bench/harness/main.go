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
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

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

	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "server\tsettings\tby hand µs\tUpdateTx µs\toverhead µs [quartiles]\tratio [quartiles]\t")
	for _, entry := range strings.Split(os.Getenv("SQLCAS_TEST_DSNS"), ";") {
		name, dsn, ok := strings.Cut(entry, "=")
		if !ok {
			continue
		}
		r, err := measure(ctx, dsn, rounds, pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(w, "%s %s\t%s\t%.0f\t%.0f\t%.1f [%.1f, %.1f]\t%.3f [%.3f, %.3f]\t\n", name, r.version, r.settings,
			r.byHand.median(), r.updateTx.median(), r.overhead.median(), r.overhead.quantile(0.25), r.overhead.quantile(0.75),
			r.ratio.median(), r.ratio.quantile(0.25), r.ratio.quantile(0.75))
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

// sample is a set of measurements.
type sample []float64

func (s sample) median() float64 { return s.quantile(0.5) }

func (s sample) quantile(q float64) float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
