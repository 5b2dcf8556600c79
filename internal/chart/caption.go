package chart

import (
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// store is the strategy that has the look of what is ours.
const store = "store"

// strategyLooks gives each strategy the look that it has in every chart, whatever else is in it.
func strategyLooks(cells ...hotrow.Cell) map[string]look {
	var names []string
	for _, s := range hotrow.Strategies() {
		names = append(names, s.Name)
	}
	for _, c := range cells {
		for _, res := range c.Results {
			names = append(names, res.Strategy)
		}
	}
	return looksOf(names, store)
}

// title is what a strategy is called in a chart. A report may come from a version that has others.
func title(strategy string) string {
	for _, s := range hotrow.Strategies() {
		if s.Name == strategy {
			return s.Title
		}
	}
	return strategy
}

// subject is what was updated.
func subject(r hotrow.Report) string {
	if r.Keys == 1 {
		return "One row"
	}
	return hotrow.Counted(r.Keys, "row", "rows")
}

// where is the server and, if there are several, how many processes had their callers at it.
func where(r hotrow.Report) string {
	if r.Processes > 1 {
		return r.Server.Title() + ", " + hotrow.Counted(r.Processes, "process", "processes")
	}
	return r.Server.Title()
}

// callers says how many there were, with one number of them.
func callers(r hotrow.Report, c hotrow.Cell) string {
	if r.Processes > 1 {
		return hotrow.Counted(c.Callers, "caller", "callers") + " in each of " + hotrow.Counted(r.Processes, "process", "processes")
	}
	return hotrow.Counted(c.Callers, "caller", "callers")
}

// conditions says under what the numbers hold.
func conditions(r hotrow.Report) string {
	all := []string{"Durable commits"}
	if !r.Server.Durable {
		all[0] = "NOT DURABLE: commits are answered before they are on disk"
	}
	if r.RTT > 0 {
		all = append(all, hotrow.Short(r.RTT)+" added to each round trip")
	}
	pool := hotrow.Counted(r.Pool, "connection", "connections")
	if r.Processes > 1 {
		pool += " a process"
	}
	cpus := "callers have " + hotrow.Counted(r.Machine.CPUs, "CPU", "CPUs")
	if r.Server.Local {
		cpus = "callers and server share " + hotrow.Counted(r.Machine.CPUs, "CPU", "CPUs")
	}
	return strings.Join(append(all, pool, cpus), "; ")
}

// turns says how a strategy was measured.
func turns(r hotrow.Report) string {
	each := hotrow.Short(r.Duration / time.Duration(max(1, r.Rounds)))
	return hotrow.Counted(r.Rounds, "round", "rounds") + " of " + each + " each, by turns"
}
