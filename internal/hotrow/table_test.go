package hotrow

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// latencies are those of a median, a 99th percentile and the slowest.
func latencies(p50, p99, slowest time.Duration) []Quantile {
	return []Quantile{{0.5, p50}, {0.99, p99}, {1, slowest}}
}

// made is a report made up for the tests: two numbers of callers, of two processes, and five rounds.
func made() Report {
	const ms = time.Millisecond
	return Report{
		Machine: Machine{CPU: "Imaginary 9000", CPUs: 2},
		Server: Server{
			Version: "9.7.4", Durable: true, Local: true,
			Settings: []Setting{{"sync_binlog", "1"}, {"transaction_isolation", "REPEATABLE-READ"}},
		},
		Processes: 2, Pool: 64, Keys: 1, RTT: 500 * time.Microsecond, Duration: 5 * time.Second, Rounds: 5,
		Cells: []Cell{{
			Callers: 1, Commit: []time.Duration{700 * time.Microsecond, 690 * time.Microsecond, 9 * ms},
			Results: []Result{
				{
					Strategy: "cas", Rates: []float64{1, 2, 3, 4, 5}, Done: 15, Attempts: 780,
					Latency: latencies(163*ms, 3750*ms, 61*time.Second), FewestByCaller: 0, MostByCaller: 15,
				},
				{
					Strategy: "for-update", Rates: []float64{10, 10, 15, 10, 0}, Done: 50,
					Latency: latencies(999_900, 94*ms, 156*ms), FewestByCaller: 25, MostByCaller: 25,
				},
			},
		}, {
			Callers: 64, Commit: []time.Duration{time.Millisecond},
			Results: []Result{
				{
					Strategy: "for-update", Rates: []float64{800, 500, 600, 700, 900}, Done: 3500,
					Latency: latencies(94*ms, 156*ms, 162*ms), FewestByCaller: 31, MostByCaller: 32,
				},
				{
					Strategy: "store", Rates: []float64{24_000, 25_000, 26_000, 27_000, 28_000}, Done: 1_300_000,
					Latency: latencies(2_140*time.Microsecond, 4*ms, 5_678*time.Microsecond), FewestByCaller: 1345, MostByCaller: 1360,
				},
			},
		}},
	}
}

const madeText = `MySQL 9.7.4, durable, REPEATABLE-READ
1 row; 2 processes; 64 connections each
500 µs added to each round trip
5 rounds of 1 s for each strategy, by turns
callers and server share 2 CPUs, Imaginary 9000

1 caller in each of 2 processes
strategy    updates/s  quartiles  x for-update     p50     p99     max  tries  most/fewest
cas               3.0  2.0 - 4.0          0.20  163 ms  3.75 s    61 s  52.00         15/0
for-update         10    10 - 10          1.00    1 ms   94 ms  156 ms      -         1.00

64 callers in each of 2 processes
strategy    updates/s        quartiles  x for-update      p50     p99      max  tries  most/fewest
for-update        700        600 - 800          1.00    94 ms  156 ms   162 ms      -         1.03
store          26,000  25,000 - 27,000          38.6  2.14 ms    4 ms  5.68 ms      -         1.01
`

// Ensures that the table has every figure, in units that one can read, in columns: the ratios are paired by round,
// and a round in which the baseline did nothing is left out of them.
func TestTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, made().Text(&b))
	require.Equal(t, madeText, b.String())
}

// Ensures that a server which may lose commits is said to, above everything else, that few rounds have no
// quartiles, and that the first strategy is what the others are set beside where nobody locks.
func TestTableOfAServerThatIsNotDurable(t *testing.T) {
	t.Parallel()
	r := made()
	r.Server.Version, r.Server.Durable, r.Server.Local, r.Server.Settings = "10.11.19-MariaDB-log", false, false, nil
	r.Processes, r.Rounds, r.RTT, r.Cells = 1, 2, 0, r.Cells[1:]
	for i := range r.Cells[0].Results {
		r.Cells[0].Results[i].Rates = r.Cells[0].Results[i].Rates[:2]
	}
	r.Cells[0].Results[0].Strategy = "delta"
	var b strings.Builder
	require.NoError(t, r.Text(&b))
	lines := strings.Split(b.String(), "\n")
	require.True(t, strings.HasPrefix(lines[0], "NOT DURABLE"), b.String())
	require.Equal(t, "MariaDB 10.11.19, not durable", lines[2])
	require.Equal(t, "callers have 2 CPUs, Imaginary 9000", lines[5])
	require.Equal(t, "64 callers", lines[7])
	require.Contains(t, lines[8], "min-max  x delta")
	require.Contains(t, lines[9], "500 - 800")
}

// Ensures that quantiles of few rounds lie between them, and that none are 0.
func TestQuantile(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 15, quantile([]float64{20, 10}, 0.5), 0)
	require.InDelta(t, 12.5, quantile([]float64{20, 10}, 0.25), 0)
	require.InDelta(t, 20, quantile([]float64{20, 10}, 1), 0)
	require.InDelta(t, 7, quantile([]float64{7}, 0.75), 0)
	require.Zero(t, quantile(nil, 0.5))
	require.Equal(t, 5*time.Millisecond, Cell{Commit: []time.Duration{8 * time.Millisecond, 2 * time.Millisecond}}.CommitTime())
	require.Zero(t, Cell{}.CommitTime())
}

// Ensures that times keep three digits and the unit that fits, also where rounding changes the unit.
func TestShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:                       "0 µs",
		1_234:                   "1.23 µs",
		640 * time.Microsecond:  "640 µs",
		999_499:                 "999 µs",
		999_500:                 "1 ms",
		12_345_678:              "12.3 ms",
		3_749_000_000:           "3.75 s",
		1_234 * time.Second:     "1230 s",
		999_600_000:             "1 s",
		1_000 * time.Nanosecond: "1 µs",
	} {
		require.Equal(t, want, Short(d), "%d ns", d)
	}
}

// Ensures that an error of the writer comes out.
func TestTableTellsWhatTheWriterSays(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	require.ErrorIs(t, made().Text(failingWriter{full}), full)
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }
