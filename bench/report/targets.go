package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sqlcas/sqlcas/bench/internal/paired"
)

// target is something to reach, and how to find out.
type target struct {
	work, what     string
	mysql, mariadb float64 // what the median is to reach; 0: nothing, the number is for information
	atMost         bool    // it must not exceed that, rather than reach it
	decimals       int
	got            func(outcome, measured) (paired.Sample, error)
}

// Strategies of sqlcas bench.
const (
	store     = "store"
	forUpdate = "for-update"
	delta     = "delta"

	ledger          = "ledger"
	forUpdateLedger = "for-update-ledger"
)

// targets are all that the page has, in its order.
func targets() []target {
	const (
		byHand = "calls/s of the Store / SELECT and UPDATE by hand"
		ratio  = "updates/s of the Store / FOR UPDATE by hand"
		fair   = "most / fewest updates of a caller"
		tail   = "99 % / 50 % of the updates done within"

		ledgers = "updates/s of the JournalStore / FOR UPDATE and INSERT by hand"
	)
	return []target{
		{"one caller, a quiet row", byHand, 0.97, 0.97, false, 3, compared("quiet row")},
		{"64 callers, 10,000 rows", byHand, 0.95, 0.95, false, 3, compared("64 callers, 10000 rows")},
		{"64 callers, one row", ratio, 30, 20, false, 1, ratioTo(hot, forUpdate)},
		{"64 callers, one row", "updates/s of the Store / one guarded UPDATE by hand", 15, 8, false, 1, ratioTo(hot, delta)},
		{"64 callers, one row", "updates/s of the Store / (callers / time of a commit)", 0.4, 0.4, false, 2, boundReached},
		{
			"64 callers, one row, an id and an entry each", ledgers, 10, 10, false, 1,
			ratioOf(entries, ledger, forUpdateLedger),
		},
		{"1,024 callers, one row", ratio, 200, 0, false, 0, ratioTo(thousand, forUpdate)},
		{"1,024 callers, one row", "updates/s of the Store", 0, 0, false, 0, rates(thousand)},
		{"4 processes of 32 callers, one row", ratio, 10, 10, false, 1, ratioTo(four, forUpdate)},
		{"4 processes of 32 callers, one row", fair, 1.3, 1.3, true, 2, fairness(four)},
		{"4 processes of 32 callers, one row", tail, 3, 3, true, 2, tails(four)},
		{
			"4 processes of 32 callers, one row, an id and an entry each", ledgers, 10, 10, false, 1,
			ratioOf(fourEntries, ledger, forUpdateLedger),
		},
		{"8 processes of 32 callers, one row", ratio, 0, 0, false, 1, ratioTo(eight, forUpdate)},
		{"8 processes of 32 callers, one row", fair, 1.3, 1.3, true, 2, fairness(eight)},
		{"8 processes of 32 callers, one row", tail, 3, 3, true, 2, tails(eight)},
	}
}

// limit is what a server is to reach.
func (t target) limit(m measured) float64 {
	if m.MariaDB() {
		return t.mariadb
	}
	return t.mysql
}

// wanted says what is to be reached.
func (t target) wanted() string {
	sign := "≥"
	if t.atMost {
		sign = "≤"
	}
	switch {
	case t.mysql == 0 && t.mariadb == 0:
		return ""
	case t.mysql == t.mariadb:
		return fmt.Sprintf("%s %v", sign, t.mysql)
	case t.mariadb == 0:
		return fmt.Sprintf("%s %v (MySQL)", sign, t.mysql)
	}
	return fmt.Sprintf("%s %v (MariaDB: %v)", sign, t.mysql, t.mariadb)
}

// verdict is what a server came to, whether it had to reach anything, and whether it has. What counts is the median
// before it is rounded.
func (t target) verdict(got paired.Sample, limit float64) (text string, aimed, met bool) {
	median := got.Median()
	text = t.number(median)
	if len(got) > 1 {
		text += fmt.Sprintf(" [%s, %s]", t.number(got.Quantile(0.25)), t.number(got.Quantile(0.75)))
	}
	met = median >= limit
	if t.atMost {
		met = median <= limit
	}
	switch {
	case limit == 0:
		return text, false, false
	case met:
		return text + ", met", true, true
	}
	return text + ", **missed**", true, false
}

// number writes a number with the target's decimals, its thousands apart.
func (t target) number(n float64) string {
	if math.IsInf(n, 0) || math.IsNaN(n) {
		return "∞"
	}
	text := strconv.FormatFloat(n, 'f', t.decimals, 64)
	whole, _, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// compared finds what bench/store has found, without an added round trip.
func compared(work string) func(outcome, measured) (paired.Sample, error) {
	return func(all outcome, m measured) (paired.Sample, error) {
		for _, s := range all.Compared {
			for _, c := range s.Compared {
				if s.Server == m.Name && c.Work == work && c.RoundTrip == 0 && len(c.Ratios) > 0 {
					return c.Ratios, nil
				}
			}
		}
		return nil, fmt.Errorf("bench/store has not measured %q", work)
	}
}

// ratioTo sets the Store beside another strategy.
func ratioTo(job, base string) func(outcome, measured) (paired.Sample, error) {
	return ratioOf(job, store, base)
}

// ratioOf sets one strategy beside another.
func ratioOf(job, strategy, base string) func(outcome, measured) (paired.Sample, error) {
	return func(_ outcome, m measured) (paired.Sample, error) {
		ours, err := m.Runs[job].Report.strategy(strategy)
		if err != nil {
			return nil, err
		}
		theirs, err := m.Runs[job].Report.strategy(base)
		if err != nil {
			return nil, err
		}
		return ours.by(theirs)
	}
}

// boundReached sets the Store beside the bound.
func boundReached(_ outcome, m measured) (paired.Sample, error) {
	r := m.Runs[hot].Report
	ours, err := r.strategy(store)
	if err != nil {
		return nil, err
	}
	bound, err := r.bound()
	return paired.Sample{ours.Rates.Median() / bound}, err
}

// rates are the updates a second of the Store.
func rates(job string) func(outcome, measured) (paired.Sample, error) {
	return func(_ outcome, m measured) (paired.Sample, error) {
		ours, err := m.Runs[job].Report.strategy(store)
		return ours.Rates, err
	}
}

// fairness sets the Store's luckiest caller beside its unluckiest, who may have had nothing: that is infinitely unfair.
func fairness(job string) func(outcome, measured) (paired.Sample, error) {
	return func(_ outcome, m measured) (paired.Sample, error) {
		ours, err := m.Runs[job].Report.strategy(store)
		return paired.Sample{float64(ours.Most) / float64(ours.Fewest)}, err
	}
}

// tails sets the Store's slow updates beside its usual ones.
func tails(job string) func(outcome, measured) (paired.Sample, error) {
	return func(_ outcome, m measured) (paired.Sample, error) {
		ours, err := m.Runs[job].Report.strategy(store)
		if err == nil && ours.within(0.5) <= 0 {
			err = fmt.Errorf("%s: it has no latencies", m.Runs[job].Report.Command)
		}
		if err != nil {
			return nil, err
		}
		return paired.Sample{float64(ours.within(0.99)) / float64(ours.within(0.5))}, nil
	}
}
