package hotrow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// notes writes, under a table, what its numbers do not say by themselves.
func (r Report) notes(b *strings.Builder, c Cell) {
	for _, res := range c.Results {
		if res.GaveUp > 0 {
			fmt.Fprintf(b, "%s: %s gave up %s after the end of their turn; its slowest times are longer than shown\n",
				res.Strategy, Counted(int(res.GaveUp), "call", "calls"), Short(patience))
		}
	}
	r.shortTurns(b, c)
	r.lateTurns(b, c)
	r.bound(b, c)
}

// shortTurns warns where the calls under way at the end of a turn are many of all. They are not in the rate; in the
// times they are, and those are then of callers who had less and less company.
func (r Report) shortTurns(b *strings.Builder, c Cell) {
	var names []string
	for _, res := range c.Results {
		if res.Within(0.5) > r.turn()/5 {
			names = append(names, res.Strategy)
		}
	}
	if len(names) == 0 {
		return
	}
	its := "its rate counts what was done in them, its times"
	if len(names) > 1 {
		its = "their rates count what was done in them, their times"
	}
	fmt.Fprintf(b, "turns of %s are short for %s: %s also what came after; give a longer --duration\n",
		Short(r.turn()), strings.Join(names, ", "), its)
}

// lateTurns warns where the processes have not worked at the same time for more than a tenth of a turn.
func (r Report) lateTurns(b *strings.Builder, c Cell) {
	for _, res := range c.Results {
		if res.Late > r.turn()/10 {
			fmt.Fprintf(b, "%s: a process began a turn of %s %s late, so that it was of fewer callers until then; "+
				"is the machine busy, or the duration too short for so many processes?\n",
				res.Strategy, Short(r.turn()), Short(res.Late))
		}
	}
}

// bound says what a commit takes, and how near the best strategy comes to commits that each have an update of every
// caller. It is for one row, without an added round trip: commits of several rows go on side by side, and the commit
// was measured without the round trip. A server that commits faster under load than for a caller alone can exceed
// it; then it bounds nothing, and is left out.
func (r Report) bound(b *strings.Builder, c Cell) {
	commit, callers := c.CommitTime(), c.Callers*r.Processes
	if commit <= 0 || len(c.Results) == 0 || r.Keys != 1 || r.RTT != 0 {
		return
	}
	most := float64(callers) / commit.Seconds()
	best := slices.MaxFunc(c.Results, func(x, y Result) int { return cmp.Compare(x.Rate(), y.Rate()) })
	reached := best.Rate() / most
	if reached > 1 {
		return
	}
	each := "one update in each"
	if callers > 1 {
		each = "an update of each of " + Counted(callers, "caller", "callers") + " in each"
	}
	fmt.Fprintf(b, "a commit takes a caller alone %s; with %s, that is %s updates/s, of which %s reaches %s\n",
		Short(commit), each, Rate(most), best.Strategy, partText(reached))
}

// partText writes a part of a whole with two decimals.
func partText(part float64) string {
	if part < 0.01 {
		return "less than 0.01"
	}
	return strconv.FormatFloat(part, 'f', 2, 64)
}
