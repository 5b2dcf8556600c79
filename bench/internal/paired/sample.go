package paired

import (
	"fmt"
	"slices"
	"time"
)

// Sample is a set of measurements.
type Sample []float64

// Median is the middle one.
func (s Sample) Median() float64 { return s.Quantile(0.5) }

// Quantile is the measurement that a part q of all, from 0 to 1, does not exceed. No measurements have
// none, and panic.
func (s Sample) Quantile(q float64) float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

// Spread writes the median and the quartiles, each with this many decimals: 0.98 [0.97, 0.99].
func (s Sample) Spread(decimals int) string {
	return fmt.Sprintf("%.*f [%.*f, %.*f]",
		decimals, s.Median(), decimals, s.Quantile(0.25), decimals, s.Quantile(0.75))
}

// Micros is d in microseconds.
func Micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
