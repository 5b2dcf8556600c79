package hotrow

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// noted returns the lines under the table of the second of made's cells, after it was changed.
func noted(t *testing.T, change func(*Report, *Cell)) []string {
	t.Helper()
	r := made()
	r.Processes, r.RTT, r.Cells = 1, 0, r.Cells[1:]
	change(&r, &r.Cells[0])
	var b strings.Builder
	require.NoError(t, r.Text(&b))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	return lines[7+len(r.Cells[0].Results):]
}

// Ensures that calls which gave up are told, beside the times that they are not in; and that a strategy by which
// nothing was done has no times at all, rather than very short ones.
func TestWhoGaveUpIsTold(t *testing.T) {
	t.Parallel()
	r := made()
	r.Cells = r.Cells[1:]
	r.Cells[0].Results[0].GaveUp = 45
	r.Cells[0].Results[1] = Result{Strategy: "store", Rates: make([]float64, 5), Latency: []Quantile{}, GaveUp: 1}
	var b strings.Builder
	require.NoError(t, r.Text(&b))
	_, table, _ := strings.Cut(b.String(), "64 callers in each of 2 processes\n")
	require.Equal(t, `strategy    updates/s  quartiles  x for-update    p50     p99     max  tries  most/fewest
for-update        700  600 - 800          1.00  94 ms  156 ms  162 ms      -         1.03
store               0      0 - 0             -      -       -       -      -          0/0
for-update: 45 calls gave up 30 s after the end of their turn; its slowest times are longer than shown
store: 1 call gave up 30 s after the end of their turn; its slowest times are longer than shown
`, table)
}

// Ensures that turns of less than five usual updates are said to be short, and for whom.
func TestShortTurnsAreTold(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	none := func(r *Report, c *Cell) { r.Keys = 2 }
	require.Empty(t, noted(t, none))
	fifth := func(r *Report, c *Cell) { r.Keys, r.Duration = 2, 5*470*ms }
	require.Empty(t, noted(t, fifth))
	one := func(r *Report, c *Cell) { r.Keys, r.Duration = 2, 5*469*ms }
	require.Equal(t, []string{
		"turns of 469 ms are short for for-update: its rate counts what was done in them, its times also what came after; " +
			"give a longer --duration",
	}, noted(t, one))
	both := func(r *Report, c *Cell) { r.Keys, r.Duration = 2, 5*10*ms }
	require.Equal(t, []string{
		"turns of 10 ms are short for for-update, store: their rates count what was done in them, their times also what " +
			"came after; give a longer --duration",
	}, noted(t, both))
}

// Ensures that the best rate is set beside what commits would make, in two digits, for one row and no added
// round trip only, and not where it exceeds that.
func TestTheBoundIsTold(t *testing.T) {
	t.Parallel()
	const most = "a commit takes a caller alone 1 ms; with an update of each of 64 callers in each, that is 64,000 updates/s, " +
		"of which store reaches "
	for want, change := range map[string]func(*Report, *Cell){
		most + "0.41":           func(*Report, *Cell) {},
		most + "1.00":           func(_ *Report, c *Cell) { c.Results[1].Rates = []float64{64_000} },
		most + "0.01":           func(_ *Report, c *Cell) { c.Results[1].Rates = []float64{710} },
		most + "less than 0.01": func(_ *Report, c *Cell) { c.Results[0].Rates, c.Results[1].Rates = nil, []float64{639} },
		"a commit takes a caller alone 1 ms; with one update in each, that is 1,000 updates/s, " +
			"of which store reaches 0.90": func(_ *Report, c *Cell) {
			c.Callers, c.Results[1].Rates = 1, []float64{900}
		},
		"a commit takes a caller alone 1 ms; with an update of each of 2 callers in each, that is 2,000 updates/s, " +
			"of which store reaches 0.45": func(r *Report, c *Cell) {
			r.Processes, c.Callers, c.Results[1].Rates = 2, 1, []float64{900}
		},
	} {
		require.Equal(t, []string{want}, noted(t, change))
	}
	for name, change := range map[string]func(*Report, *Cell){
		"rows":         func(r *Report, _ *Cell) { r.Keys = 2 },
		"round trip":   func(r *Report, _ *Cell) { r.RTT = 1 },
		"more than it": func(_ *Report, c *Cell) { c.Results[1].Rates = []float64{64_001} },
		"not measured": func(_ *Report, c *Cell) { c.Commit = nil },
	} {
		for _, line := range noted(t, change) {
			require.NotContains(t, line, "a commit takes", name)
		}
	}
}

// Ensures that rates keep the digits that matter, and that nothing is written as nothing.
func TestRate(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]string{
		0: "0", 0.04321: "0.043", 0.094: "0.094", 0.096: "0.1", 3: "3.0", 9.94: "9.9", 9.96: "10", 28_843.4: "28,843",
	} {
		require.Equal(t, want, Rate(rate))
	}
}
