package chart

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// Ensures that names which have room stay where they are, and others share what they are moved by.
func TestApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, got []vg.Length }{
		{nil, []vg.Length{}},
		{[]vg.Length{50}, []vg.Length{50}},
		{[]vg.Length{50, 10, 30}, []vg.Length{50, 10, 30}},
		{[]vg.Length{50, 50}, []vg.Length{45, 55}},
		{[]vg.Length{52, 48}, []vg.Length{55, 45}},
		{[]vg.Length{50, 51, 80}, []vg.Length{45.5, 55.5, 80}},
		{[]vg.Length{-5, 0, 99, 105}, []vg.Length{0, 10, 90, 100}},
	} {
		require.Equal(t, c.got, apart(c.want, 10, 0, 100), "%v", c.want)
	}
}

// Ensures that whatever is wanted, the places keep their order, their gap and the edges; and where there is no
// room for all, at least order and gap.
func TestApartKeepsOrderAndGap(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		want := make([]vg.Length, rng.IntN(15))
		for i := range want {
			want[i] = vg.Length(rng.IntN(140) - 20)
		}
		got := apart(want, 10, 0, 100)
		sorted := slices.Sorted(slices.Values(got))
		for i := range got {
			if len(want) <= 11 {
				require.True(t, -1e-9 <= got[i] && got[i] <= 100+1e-9, "%v: %v", want, got)
			}
			if i > 0 {
				require.GreaterOrEqual(t, float64(sorted[i]-sorted[i-1]), 10-1e-9, "%v: %v", want, got)
			}
			for j := range i {
				require.True(t, want[i] >= want[j] || got[i] < got[j], "%v: %v", want, got)
				require.True(t, want[i] <= want[j] || got[i] > got[j], "%v: %v", want, got)
			}
		}
	}
}

// named are the ticks that have a name.
func named(ticks []plot.Tick) []string {
	var names []string
	for _, t := range ticks {
		if t.Label != "" {
			names = append(names, t.Label)
		}
	}
	return names
}

// Ensures that a logarithmic axis holds its values, not much more, and has plain names: decades, or steps between
// where there is hardly a decade.
func TestLogAxis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values    []float64
		low, high float64
		ticks     []string
	}{
		{[]float64{9, 109_084}, 5, 200_000, []string{"10", "100", "1k", "10k", "100k"}},
		{[]float64{650, 0, 731}, 500, 1000, []string{"500", "1k"}},
		{[]float64{1000}, 1000, 2000, []string{"1k", "2k"}},
		{[]float64{7, 9}, 5, 10, []string{"5", "10"}},
		{[]float64{10, 2_000_000}, 10, 2_000_000, []string{"10", "100", "1k", "10k", "100k", "1M"}},
		{[]float64{0}, 1, 2, []string{"1", "2"}},
		{nil, 1, 2, []string{"1", "2"}},
	} {
		a := logAxis("", c.values, brief)
		require.InEpsilon(t, c.low, a.min, 1e-9, "%v", c.values)
		require.InEpsilon(t, c.high, a.max, 1e-9, "%v", c.values)
		require.Equal(t, c.ticks, named(a.ticks), "%v", c.values)
		require.InDelta(t, a.min, a.within(0), 0)
		require.InDelta(t, a.max, a.within(math.Inf(1)), 0)
	}
	a := logAxis("", []float64{0.0007, 11}, timeName)
	require.Equal(t, []string{"1 ms", "10 ms", "100 ms", "1 s", "10 s"}, named(a.ticks))
}

// Ensures that each number of callers has a mark, and its name where there is room; the largest always.
func TestCountsAxis(t *testing.T) {
	t.Parallel()
	a := countsAxis("", []int{1, 4, 16, 64, 256})
	require.Equal(t, []string{"1", "4", "16", "64", "256"}, named(a.ticks))
	a = countsAxis("", []int{1, 64, 65, 1024})
	require.Equal(t, []string{"1", "64", "1,024"}, named(a.ticks))
	require.Len(t, a.ticks, 4)
	for _, c := range []struct {
		counts []int
		want   []string
	}{
		{[]int{1, 1000, 1024}, []string{"1", "1,024"}},
		{[]int{1, 4, 64, 65, 66}, []string{"1", "4", "66"}},
		{[]int{1, 900, 1100, 1200}, []string{"1", "1,200"}},
		{[]int{1000, 1001}, []string{"1,000", "1,001"}},
	} {
		a = countsAxis("", c.counts)
		require.Equal(t, c.want, named(a.ticks), "%v", c.counts)
		require.Len(t, a.ticks, len(c.counts))
	}
	a = countsAxis("", []int{7})
	require.Less(t, a.min, a.max)
}

// Ensures that a line is broken where the axis has no place for its value, and only there.
func TestStretches(t *testing.T) {
	t.Parallel()
	line := func(ys ...float64) (l line) {
		for _, y := range ys {
			l.points = append(l.points, point{y: y})
		}
		return l
	}
	for _, c := range []struct{ ys, want []float64 }{
		{[]float64{1, 2, 3}, []float64{1, 2, 3, -1}},
		{[]float64{0, 1, 0, 0, 2, 3, 0}, []float64{1, -1, 2, 3, -1}},
		{[]float64{0, 0}, nil},
	} {
		var got []float64
		for _, points := range line(c.ys...).stretches(axis{log: true}) {
			for _, pt := range points {
				got = append(got, pt.y)
			}
			got = append(got, -1)
		}
		require.Equal(t, c.want, got, "%v", c.ys)
	}
	require.Len(t, line(1, 0, 2).stretches(axis{}), 1, "an axis that is not logarithmic has a place for zero")
}

// Ensures that percentiles are as far apart as it is ten times as rare to be slower.
func TestPercentile(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0, percentile(0), 1e-9)
	require.InDelta(t, 1, percentile(0.9), 1e-9)
	require.InDelta(t, 2, percentile(0.99), 1e-9)
	require.InDelta(t, 3, percentile(0.999), 1e-9)
	require.InDelta(t, slowest, percentile(1), 0)
	require.InDelta(t, slowest, percentile(0.999_999), 0)
}

// Ensures that a strategy looks the same in each chart, that no two look alike, and that only ours is thick and
// blue.
func TestLooks(t *testing.T) {
	t.Parallel()
	all := strategyLooks(hotrow.Cell{Results: []hotrow.Result{{Strategy: "new"}, {Strategy: "cas"}}})
	few := strategyLooks()
	seen := map[look]string{}
	for name, l := range all {
		require.Empty(t, seen[l], "looks like %s", name)
		seen[l] = name
		require.Equal(t, name == store, l == own, name)
		if name != "new" {
			require.Equal(t, few[name], l, name)
		}
		if l != own {
			require.Less(t, l.width, own.width)
		}
	}
	require.Len(t, all, len(hotrow.Strategies())+1)
	require.Equal(t, own, all[store])
	require.Equal(t, looks[0], looksOf([]string{"ours", "a"}, "ours")["a"], "ours takes no place of others")
}

// Ensures that numbers are written as people do.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 9: "9", 999: "999", 28_843: "28,843", 1_234_567: "1,234,567",
	} {
		require.Equal(t, want, hotrow.Grouped(v))
	}
	for v, want := range map[float64]string{
		0.00007: "less than 0.001", 0.0721: "0.072", 0.33: "0.33", 0.96: "1.0", 1.78: "1.8", 44.4: "44", 1234: "1,234",
	} {
		require.Equal(t, want, times(v))
	}
	for v, want := range map[float64]string{
		1: "1", 500: "500", 1000: "1k", 20_000: "20k", 56_200: "56.2k", 1e6: "1M", 2.5e6: "2.5M", 1e9: "1G",
		12_340_000_000: "12.34G", 1e12: "1T",
	} {
		require.Equal(t, want, brief(v))
	}
	for v, want := range map[float64]float64{0: 0, 187_919: 188_000, 17.978: 18, 0.000_123_4: 0.000_123} {
		require.InDelta(t, want, round(v), 1e-9)
	}
	require.Equal(t, "1 row", hotrow.Counted(1, "row", "rows"))
	require.Equal(t, "10,000 rows", hotrow.Counted(10_000, "row", "rows"))
}
