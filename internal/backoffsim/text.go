package backoffsim

import (
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
