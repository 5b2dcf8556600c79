package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sqlcas/sqlcas/examples/inventory/replay"
)

// maxListed is how many mismatches of one strategy are printed.
const maxListed = 20

// linesLegend explains the table of order lines.
const linesLegend = `
An order is one order line. Half of them took p50 or less, 99 of 100 p99 or less.
Update, Update + key (WithKey), UpdateTx, Store (optimistic.Store) and Store locked
(pessimistic.Store) are sqlcas; FOR UPDATE is the work of Store locked written by
hand. Update and UpdateTx race for a hot product and pay in attempts; with a key, or
under locks, they queue for it; Store writes the lines that meet at it with one commit.
Refused lines found too little stock.
Reconciled: for each product, stock less accepted units is what is left and is not
negative, its version moved once per accepted line, and no refused line would fit.
`

// ordersLegend explains the table of whole orders.
const ordersLegend = `
An order is taken whole or not at all, by the UpdateAll of optimistic.Store (Store)
and of pessimistic.Store (Store locked): all of its products change, or none. Half
of the orders took p50 or less, 99 of 100 p99 or less.
Refused orders wanted more of one of their products than there was.
Reconciled: for each product, stock less accepted units is what is left and is not
negative, its version moved once per accepted order that has it, and no refused
order would fit as a whole.
`

// introduce says what is about to happen.
func introduce(out io.Writer, c *config, data *replay.Data) {
	source := "the sample"
	if c.orders != "" {
		source = c.orders
	}
	var units, wanted int64
	for _, p := range data.Products {
		units += p.Stock
	}
	for _, l := range data.Lines {
		wanted += l.Quantity
	}
	fmt.Fprint(out, "Orders: ")
	if c.whole {
		fmt.Fprintf(out, "%d whole ones, ", len(data.WholeOrders()))
	}
	fmt.Fprintf(out, "%d lines of %s", len(data.Lines), source)
	if c.rounds > 1 {
		fmt.Fprintf(out, " (its %d lines %d times, on %d times the stock)",
			len(data.Lines)/c.rounds, c.rounds, c.rounds)
	}
	fmt.Fprintf(out, "\nStock:  %d units of %d products; the orders want %d\nWorkers: %d\n\n",
		units, len(data.Products), wanted, c.workers)
}

// printTable prints a line per strategy, 80 columns wide. Numbers stand right; so does the first
// column, whose cells are padded to one width for that.
func printTable(out io.Writer, results []*replay.Result) error {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-12s\t\t\t\tattempts\tconflicts\t\t\t\n", "")
	fmt.Fprintf(w, "%-12s\torders/s\tp50 ms\tp99 ms\tmean/max\tabsorbed\trefused\treconciled\t\n",
		"strategy")
	for _, r := range results {
		reconciled := "yes"
		if len(r.Mismatches) > 0 {
			reconciled = "NO"
		}
		fmt.Fprintf(w, "%-12s\t%.0f\t%s\t%s\t%.2f/%d\t%d\t%d\t%s\t\n",
			r.Strategy.Title, r.PerSecond(), milliseconds(r.P50), milliseconds(r.P99),
			r.MeanAttempts(), r.Most, r.Conflicts, r.Refused, reconciled)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		// What is left of the first column is padding.
		line = strings.TrimRight(strings.TrimPrefix(line, "  "), " \n")
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// milliseconds has three digits that mean something, for SQLite's microseconds too.
func milliseconds(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return fmt.Sprintf("%.2f", ms)
	}
	return fmt.Sprintf("%.1f", ms)
}

// verdict explains the table, lists on errOut what does not reconcile, and reports whether all of
// it does.
func verdict(out, errOut io.Writer, results []*replay.Result, legend string) bool {
	fmt.Fprint(out, legend)
	ok := true
	for _, r := range results {
		for i, m := range r.Mismatches {
			ok = false
			if i == maxListed {
				fmt.Fprintf(errOut, "inventory: %s: and %d more\n", r.Strategy.Title, len(r.Mismatches)-i)
				break
			}
			fmt.Fprintf(errOut, "inventory: %s does NOT reconcile: %s\n", r.Strategy.Title, m)
		}
	}
	return ok
}
