package backoffsim

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sqlcas/sqlcas/internal/settings"
)

// Text prints the table: a line for each number of clients, a column for each policy, and a part for each of what
// was measured.
func (t Table) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s; averages of %d trials\n", t.Model.Title(), t.Trials)
	if err == nil && slices.Contains(t.Policies, Ours) {
		_, err = fmt.Fprintf(w, "%s: full jitter, %v to %v\n", Ours, settings.DefaultBaseDelay, settings.DefaultMaxDelay)
	}
	for _, part := range []struct {
		title string
		value func(Row) string
	}{
		{"writes sent, all clients together", func(r Row) string { return strconv.FormatFloat(r.Calls, 'f', 0, 64) }},
		{"writes sent by a client", func(r Row) string { return strconv.FormatFloat(r.CallsPerClient, 'f', 1, 64) }},
		{"time until the last client is done", func(r Row) string { return r.Finish.Round(time.Millisecond).String() }},
	} {
		if err == nil {
			err = t.part(w, part.title, part.value)
		}
	}
	if err == nil {
		err = t.order(w)
	}
	return err
}

// The numbers of clients that the study's charts go from and to.
const fewest, most = 10, 190

// Work returns how many writes each policy sent over all numbers of clients that are the study's, in the order of
// Policies; nil if there are none.
func (t Table) Work() []float64 {
	var work []float64
	for i, r := range t.Rows {
		if fewest <= r.Clients && r.Clients <= most {
			if work == nil {
				work = make([]float64, len(t.Policies))
			}
			work[i%len(t.Policies)] += r.Calls
		}
	}
	return work
}

// order says which policy is the least work over the study's numbers of clients, and which come then.
func (t Table) order(w io.Writer) error {
	work := t.Work()
	if work == nil {
		return nil
	}
	ranks := make([]int, len(work))
	for i := range ranks {
		ranks[i] = i
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(work[a], work[b]) })
	var names []string
	for _, i := range ranks {
		names = append(names, fmt.Sprintf("%s %.0f", t.Policies[i], work[i]))
	}
	_, err := fmt.Fprintf(w, "\nwrites over the numbers from %d to %d clients, fewest first:\n  %s\n",
		fewest, most, strings.Join(names, ", "))
	return err
}

func (t Table) part(w io.Writer, title string, value func(Row) string) error {
	if _, err := fmt.Fprintf(w, "\n%s\n", title); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	lines := []string{"clients\t" + strings.Join(t.Policies, "\t") + "\t"}
	for i := 0; i < len(t.Rows); i += len(t.Policies) {
		line := strconv.Itoa(t.Rows[i].Clients) + "\t"
		for _, r := range t.Rows[i:][:len(t.Policies)] {
			line += value(r) + "\t"
		}
		lines = append(lines, line)
	}
	if _, err := io.WriteString(tw, strings.Join(lines, "\n")+"\n"); err != nil {
		return err
	}
	return tw.Flush()
}
