package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// apart returns places that are at least gap from each other, in the order of those that are wanted and, in sum of
// squares, as close to them as can be. They are between low and high if there is room for all.
func apart(want []vg.Length, gap, low, high vg.Length) []vg.Length {
	order := make([]int, len(want))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(want[a], want[b]) })

	// With i gaps taken off place i, places may be equal, and those in the wrong order share their mean.
	type run struct {
		sum   vg.Length
		count int
	}
	mean := func(r run) vg.Length { return r.sum / vg.Length(r.count) }
	var runs []run
	for i, which := range order {
		runs = append(runs, run{want[which] - gap*vg.Length(i), 1})
		for n := len(runs); n > 1 && mean(runs[n-2]) > mean(runs[n-1]); n = len(runs) {
			runs[n-2].sum += runs[n-1].sum
			runs[n-2].count += runs[n-1].count
			runs = runs[:n-1]
		}
	}

	places := make([]vg.Length, len(want))
	highest := max(low, high-gap*vg.Length(len(want)-1))
	i := 0
	for _, r := range runs {
		for range r.count {
			places[order[i]] = min(max(mean(r), low), highest) + gap*vg.Length(i)
			i++
		}
	}
	return places
}
