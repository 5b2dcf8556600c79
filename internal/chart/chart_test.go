package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/backoffsim"
	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// text is one that is in a picture.
type text struct {
	x, y  float64 // its left end and its baseline; y counts upwards
	width float64
	says  string
}

// texts reads them out of a picture, which must be XML from end to end.
func texts(t *testing.T, svg []byte) []text {
	t.Helper()
	var all []text
	in := false
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if in = token.Name.Local == "text"; in {
				all = append(all, placed(t, token))
			}
		case xml.CharData:
			if in {
				last := &all[len(all)-1]
				last.says += string(token)
				last.width = float64(textStyle(plainAt, plain, black).Width(last.says))
			}
		case xml.EndElement:
			in = false
		}
	}
}

// placed is a text element without what it says.
func placed(t *testing.T, e xml.StartElement) text {
	t.Helper()
	at := map[string]float64{}
	for _, a := range e.Attr {
		if a.Name.Local == "x" || a.Name.Local == "y" {
			v, err := strconv.ParseFloat(a.Value, 64)
			require.NoError(t, err)
			at[a.Name.Local] = v
		}
	}
	return text{x: at["x"], y: -at["y"]}
}

// find returns the one text that begins so.
func find(t *testing.T, all []text, begins string) text {
	t.Helper()
	all = slices.DeleteFunc(slices.Clone(all), func(x text) bool { return !strings.HasPrefix(x.says, begins) })
	require.Len(t, all, 1, "texts that begin with %q", begins)
	return all[0]
}

func drawn(t *testing.T, draw func(io.Writer) error) []text {
	t.Helper()
	var svg bytes.Buffer
	require.NoError(t, draw(&svg))
	return texts(t, svg.Bytes())
}

// Ensures that every strategy is named where its line ends, with its rate there, however the cells are sorted, and
// that strategies which one cell does not have are drawn too.
func TestLinesAreNamedAtTheirEnds(t *testing.T) {
	t.Parallel()
	r := hot()
	slices.Reverse(r.Cells)
	r.Cells[0].Results = slices.Insert(r.Cells[0].Results, 0, result("its <own> & new", 12_345, ms, ms, ms))
	all := drawn(t, func(w io.Writer) error { return Throughput(w, r) })
	var ends []text
	for _, want := range []string{
		"optimistic.Store: 109,084/s", "its <own> & new: 12,345/s", "guarded delta UPDATE: 1,127/s",
		"CAS in a queue: 1,060/s",
		"pessimistic.Store: 655/s", "FOR UPDATE: 644/s", "CAS with jitter: 26/s", "CAS, retried at once: 9.0/s",
	} {
		ends = append(ends, find(t, all, want))
	}
	for i := range ends[1:] {
		require.GreaterOrEqual(t, ends[i].y-ends[i+1].y, float64(labelGap)-0.01, "%s, %s", ends[i].says, ends[i+1].says)
	}
	for _, tick := range []string{"8", "64", "256", "10", "100", "1k", "10k", "100k", "callers", "updates a second"} {
		require.True(t, slices.ContainsFunc(all, func(x text) bool { return x.says == tick }), "%s", tick)
	}
}

// Ensures that no text leaves the picture to the right and none of the names is on another, where many lines end at
// one place, at the lower edge, with long names.
func TestNamesHaveRoom(t *testing.T) {
	t.Parallel()
	r := hot()
	for i := range r.Cells {
		r.Cells[i].Results = nil
		for _, s := range hotrow.Strategies() {
			r.Cells[i].Results = append(r.Cells[i].Results, result(s.Name, 123_456, ms, 2*ms, 3*ms))
			r.Cells[i].Results = append(r.Cells[i].Results, result(s.Name+"-again", 123_456, ms, 2*ms, 3*ms))
		}
	}
	r.Processes, r.Keys, r.RTT, r.Server.Version = 16, 1_000_000, 123*ms, "10.11.19-MariaDB-log"
	one := r
	one.Cells = r.Cells[:1]
	for name, draw := range map[string]func(io.Writer) error{
		"throughput": func(w io.Writer) error { return Throughput(w, r) },
		"bars":       func(w io.Writer) error { return Throughput(w, one) },
		"latency":    func(w io.Writer) error { return Latency(w, r, 3) },
	} {
		var ends []text
		for _, x := range drawn(t, draw)[3:] { // after the title and the lines under it, which are made to fit
			require.GreaterOrEqual(t, x.x, float64(margin)-0.01, "%s: %s", name, x.says)
			require.LessOrEqual(t, x.x+x.width, 680.0, "%s: %s", name, x.says)
			require.True(t, 0 <= x.y && x.y <= 420 || name == "bars", "%s: %s", name, x.says)
			if strings.Contains(x.says, ": ") {
				ends = append(ends, x)
			}
		}
		slices.SortFunc(ends, func(a, b text) int { return int(100 * (a.y - b.y)) })
		for i := range max(0, len(ends)-1) {
			require.GreaterOrEqual(t, ends[i+1].y-ends[i].y, float64(labelGap)-0.01, name)
		}
	}
}

// Ensures that a line's name has room also where it is longer than any that was thought of.
func TestALongNameHasRoom(t *testing.T) {
	t.Parallel()
	r := hot()
	for i := range r.Cells {
		r.Cells[i].Results = []hotrow.Result{result("a strategy of another version", 12_345_678_901, ms, 2*ms, 3*ms)}
	}
	x := find(t, drawn(t, func(w io.Writer) error { return Throughput(w, r) }), "a strategy of another version: 12,345,678,901/s")
	require.LessOrEqual(t, x.x+x.width, 680.0)
}

// Ensures that a title which is too long for its size is made smaller until it fits.
func TestLongTitlesFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long title ", 12)
	style := fitted(long, titleAt, bold, black, 652)
	require.LessOrEqual(t, float64(style.Width(long)), 652.0)
	require.Greater(t, float64(style.Width(long)), 590.0, "no smaller than it must be")
	require.InDelta(t, titleAt, float64(fitted("short", titleAt, bold, black, 652).Font.Size), 0)
}

// Ensures that what qualifies the numbers is beside them.
func TestTheConditionsAreSaid(t *testing.T) {
	t.Parallel()
	r := hot()
	all := drawn(t, func(w io.Writer) error { return Throughput(w, r) })
	find(t, all, "One row: updates a second by callers, MySQL 9.7.4")
	find(t, all, "Durable commits; 64 connections; callers and server share 2 CPUs")
	find(t, all, "Medians of 5 rounds of 1 s each")

	r.Server.Durable, r.Server.Local, r.Processes, r.RTT, r.Keys, r.Rounds = false, false, 4, ms, 1000, 1
	all = drawn(t, func(w io.Writer) error { return Latency(w, r, 0) })
	find(t, all, "1,000 rows: how long an update takes, 1 caller in each of 4 processes, MySQL 9.7.4")
	find(t, all, "NOT DURABLE: commits are answered before they are on disk; 1 ms added to each round trip; "+
		"64 connections a process; callers have 2 CPUs")
	find(t, all, "All updates of 1 round of 5 s each")
}

// Ensures that bars are sorted, carry their values, and compare with the baseline.
func TestBarsAreSorted(t *testing.T) {
	t.Parallel()
	r := hot()
	r.Cells = r.Cells[2:3]
	all := drawn(t, func(w io.Writer) error { return Throughput(w, r) })
	last := 1e9
	for _, want := range []string{
		"28,843/s (44 x FOR UPDATE)", "1,166/s (1.8 x FOR UPDATE)", "991/s (1.5 x FOR UPDATE)", "668/s (1.0 x FOR UPDATE)",
		"650/s", "217/s (0.33 x FOR UPDATE)", "47/s (0.072 x FOR UPDATE)",
	} {
		x := find(t, all, want)
		require.Less(t, x.y, last, want)
		last = x.y
	}
}

// Ensures that what is written right of a bar is within the picture, however long it is: the bars make room.
func TestWhatIsBesideABarHasRoom(t *testing.T) {
	t.Parallel()
	for _, rates := range [][]float64{
		{1e3, 1e9, 7}, {2e9, 1e3, 1e8}, {1, 1e-3, 0}, {0.00123, 1e9, 1e9 - 1}, {5, 5, 5}, {0, 0, 0},
	} {
		cell := hotrow.Cell{Callers: 1, Results: []hotrow.Result{
			result("delta", rates[0], ms, ms, ms), result("store", rates[1], ms, ms, ms), result("cas", rates[2], ms, ms, ms),
		}}
		r := hot()
		r.Cells = []hotrow.Cell{cell}
		beside := 0
		right := 0.0
		for _, x := range drawn(t, func(w io.Writer) error { return Throughput(w, r) })[3:] {
			if strings.Contains(x.says, "/s") {
				beside++
				end := x.x + x.width
				if strings.HasPrefix(x.says, hotrow.Rate(rates[1])+"/s") { // ours, perhaps
					end = x.x + float64(textStyle(plainAt, bold, black).Width(x.says))
				}
				right = max(right, end)
				require.LessOrEqual(t, end, 680.0, "%v: %s", rates, x.says)
			}
		}
		require.Equal(t, 3, beside)
		if rates[0] > 0 {
			require.Greater(t, right, 640.0, "%v: no more room than it takes", rates)
		}
	}
}

// Ensures that a strategy which did nothing has no line there, since a logarithm has no place for zero, and is
// named at the lower edge with what it did.
func TestZerosAreNotDrawn(t *testing.T) {
	t.Parallel()
	r := hot()
	r.Cells[3].Results[0] = result("cas", 0, 0, 0, 0)
	all := drawn(t, func(w io.Writer) error { return Throughput(w, r) })
	require.Less(t, find(t, all, "CAS, retried at once: 0/s").y, find(t, all, "CAS with jitter").y)

	paths := func() int {
		var svg bytes.Buffer
		require.NoError(t, Throughput(&svg, r))
		return bytes.Count(svg.Bytes(), []byte("<path"))
	}
	for i := range r.Cells {
		r.Cells[i].Results[0] = result("cas", 0, 0, 0, 0)
	}
	nothing := paths()
	for i := range r.Cells {
		r.Cells[i].Results = r.Cells[i].Results[1:]
	}
	require.Equal(t, paths(), nothing, "of it there is the name alone")

	for i := range r.Cells {
		r.Cells[i].Results = []hotrow.Result{result("cas", 0, 0, 0, 0)}
	}
	for cells := 1; cells <= 2; cells++ {
		r.Cells = r.Cells[:cells]
		all = drawn(t, func(w io.Writer) error { return Throughput(w, r) })
		require.True(t, slices.ContainsFunc(all, func(x text) bool { return strings.HasSuffix(x.says, "0/s") }))
	}
	drawn(t, func(w io.Writer) error { return Latency(w, r, 0) })
}

// Ensures that what cannot be drawn is an error that says so, and so is what cannot be written.
func TestWhatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.ErrorIs(t, Throughput(&b, hotrow.Report{}), errNothing)
	require.ErrorIs(t, Throughput(&b, hotrow.Report{Cells: []hotrow.Cell{{Callers: 1}, {Callers: 2}}}), errNothing)
	require.ErrorIs(t, Latency(&b, hotrow.Report{Cells: []hotrow.Cell{{Callers: 1}}}, 0), errNothing)
	require.ErrorIs(t, Simulation(&b), errNothing)
	require.ErrorIs(t, Simulation(&b, backoffsim.Table{}), errNothing)
	for _, cell := range []int{-1, 4} {
		require.ErrorContains(t, Latency(&b, hot(), cell), "the report has 4")
	}
	require.Empty(t, b.String())
	for name, draw := range charts {
		require.ErrorIs(t, draw(full{}), errFull, name)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// Ensures that a simulation which was really run can be drawn, ours among it.
func TestARealSimulation(t *testing.T) {
	t.Parallel()
	table := backoffsim.Run(backoffsim.Options{Clients: []int{20, 1, 5}, Trials: 2, Seed: 1})
	all := drawn(t, func(w io.Writer) error { return Simulation(w, table) })
	for _, policy := range table.Policies {
		n := 0
		for _, x := range all {
			if strings.HasPrefix(x.says, policy+": ") {
				n++
			}
		}
		require.Equal(t, 2, n, policy)
	}
}
