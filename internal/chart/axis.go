package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// axis is one of a panel's, logarithmic or not.
type axis struct {
	label    string
	min, max float64
	log      bool
	ticks    []plot.Tick
}

// logAxis spans the values, from a step of 1, 2 or 5 to another. Decades are named; steps between are too if there
// is hardly a decade.
func logAxis(label string, values []float64, name func(float64) string) axis {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v <= 0 })
	if len(values) == 0 {
		values = []float64{1}
	}
	low, high := slices.Min(values), slices.Max(values)
	var steps []float64
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 2, 5} {
			steps = append(steps, m*math.Pow(10, e))
		}
	}
	first, last := 0, len(steps)-1
	for first+1 < len(steps) && steps[first+1] <= low {
		first++
	}
	for last > first+1 && steps[last-1] >= high {
		last--
	}
	a := axis{label: label, min: steps[first], max: steps[last], log: true}
	few := a.max/a.min < 50
	for i, v := range steps[first : last+1] {
		if few || (first+i)%3 == 0 {
			a.ticks = append(a.ticks, plot.Tick{Value: v, Label: name(v)})
		}
	}
	return a
}

// countsAxis is a logarithmic one of the numbers themselves, in ascending order. One that is too close to another
// has a mark without a name, but the largest always has its name: the rates at the lines' ends are those of it.
func countsAxis(label string, counts []int) axis {
	a := axis{label: label, min: float64(counts[0]), max: float64(counts[len(counts)-1]), log: true}
	if a.min == a.max {
		a.max *= 2
	}
	const closest = 0.08 // of the axis
	named, last := 0, math.Inf(-1)
	for i, n := range counts {
		t := plot.Tick{Value: float64(n)}
		at := math.Log(t.Value/a.min) / math.Log(a.max/a.min)
		if at-last < closest && i == len(counts)-1 {
			a.ticks[named].Label, last = "", math.Inf(-1)
		}
		if at-last >= closest {
			t.Label, named, last = hotrow.Grouped(float64(n)), i, at
		}
		a.ticks = append(a.ticks, t)
	}
	return a
}

// has reports whether a value has a place on the axis: a logarithm has none for zero.
func (a axis) has(v float64) bool { return v > 0 || !a.log }

// within is the value, or the end of the axis that it is beyond.
func (a axis) within(v float64) float64 { return min(max(v, a.min), a.max) }

// brief writes a round number: 500, 20k, 1M, 3G.
func brief(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return strconv.FormatFloat(v/unit.size, 'g', 4, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// round leaves a value three digits.
func round(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	return math.Round(v/unit) * unit
}

// sentence begins with a capital letter.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
