package hotrow

import (
	"slices"
	"time"
)

// Baseline is the name of the strategy that the others are set beside where it was measured.
const Baseline = "for-update"

// Base is the result that the others of a cell are set beside: the baseline, or else the first.
func (c Cell) Base() Result {
	for _, res := range c.Results {
		if res.Strategy == Baseline {
			return res
		}
	}
	if len(c.Results) == 0 {
		return Result{}
	}
	return c.Results[0]
}

// CommitTime is the median over the rounds of what a commit takes, and 0 if that was not measured.
func (c Cell) CommitTime() time.Duration {
	var all []float64
	for _, took := range c.Commit {
		all = append(all, float64(took))
	}
	return time.Duration(quantile(all, 0.5))
}

// Rate is the median over the rounds, in updates a second.
func (res Result) Rate() float64 { return quantile(res.Rates, 0.5) }

// roundsForQuartiles is how many rounds it takes for quartiles to say more than the extremes.
const roundsForQuartiles = 5

// Spread are the quartiles of the rounds' rates, or the lowest and the highest of few rounds.
func (res Result) Spread() (low, high float64) {
	if len(res.Rates) < roundsForQuartiles {
		return quantile(res.Rates, 0), quantile(res.Rates, 1)
	}
	return quantile(res.Rates, 0.25), quantile(res.Rates, 0.75)
}

// Within is the time within which a part of the updates were done, one of Quantiles; 0 if there is none.
func (res Result) Within(part float64) time.Duration {
	for _, q := range res.Latency {
		if q.Part == part {
			return q.Time
		}
	}
	return 0
}

// Ratio is the median over the rounds of res's rate by base's in the same round. It is 0 if there is no round to
// compare.
func Ratio(res, base Result) float64 {
	var ratios []float64
	for i := range min(len(res.Rates), len(base.Rates)) {
		if base.Rates[i] > 0 {
			ratios = append(ratios, res.Rates[i]/base.Rates[i])
		}
	}
	return quantile(ratios, 0.5)
}

// quantile is the value that a part q of all do not exceed, which may lie between two of them; 0 if there are none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
