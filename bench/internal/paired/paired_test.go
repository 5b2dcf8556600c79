package paired

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// Ensures that quantiles are measurements that were made, whatever their order, and that taking them
// leaves the sample as it is.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	s := Sample{5, 1, 4, 2, 3}
	for _, tc := range []struct{ q, want float64 }{{0, 1}, {0.25, 2}, {0.5, 3}, {0.75, 4}, {1, 5}} {
		if got := s.Quantile(tc.q); got != tc.want {
			t.Errorf("quantile %v: got %v, want %v", tc.q, got, tc.want)
		}
	}
	if got := (Sample{7}).Median(); got != 7 {
		t.Errorf("median of one: got %v, want 7", got)
	}
	if got, want := s.Spread(1), "3.0 [2.0, 4.0]"; got != want {
		t.Errorf("spread: got %q, want %q", got, want)
	}
	if want := (Sample{5, 1, 4, 2, 3}); !slices.Equal(s, want) {
		t.Errorf("sample afterwards: got %v, want %v", s, want)
	}
}

// Ensures that a ratio above 1 means that ours is the faster one, for times as for rates.
func TestRatioIsOfThroughputs(t *testing.T) {
	t.Parallel()
	var r Result
	r.addTimes(200, 100)
	r.addRates(100, 200)
	if want := (Sample{2, 2}); !slices.Equal(r.Ratio, want) {
		t.Errorf("ratios: got %v, want %v", r.Ratio, want)
	}
	if want := (Sample{-100, 100}); !slices.Equal(r.Excess, want) {
		t.Errorf("excess: got %v, want %v", r.Excess, want)
	}
}

// Ensures that turns are taken in the order ABBA in each round, that the first round does not count, and
// that every round is told.
func TestTurnsAreABBA(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	told := 0
	side := func(name string) func() error {
		return func() error {
			order.WriteString(name)
			return nil
		}
	}
	r, err := ByTurns(2, 4, side("A"), side("B"), func() { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order.String(), strings.Repeat("ABBAABBA", 3); got != want {
		t.Errorf("order: got %s, want %s", got, want)
	}
	if len(r.Ratio) != 2 || told != 3 {
		t.Errorf("got %d rounds and told %d times, want 2 and 3", len(r.Ratio), told)
	}
}

// Ensures that slices follow the Thue-Morse sequence, that both sides get every seed once, and that a
// round counts by all that a side did in it.
func TestSlicesAreThueMorse(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	seeds := map[string][]uint64{}
	side := func(name string, done int) func(uint64) (Work, error) {
		return func(seed uint64) (Work, error) {
			order.WriteString(name)
			seeds[name] = append(seeds[name], seed)
			return Work{Done: done, Took: time.Duration(len(seeds[name])%2+1) * time.Second}, nil
		}
	}
	r, err := BySlices(1, side("A", 30), side("B", 60), func() {})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order.String(), "ABBABAABBAABABBA"; got != want {
		t.Errorf("order: got %s, want %s", got, want)
	}
	for _, name := range []string{"A", "B"} {
		if want := []uint64{0, 1, 2, 3, 4, 5, 6, 7}; !slices.Equal(seeds[name], want) {
			t.Errorf("seeds of %s: got %v, want %v", name, seeds[name], want)
		}
	}
	for i, want := range []Sample{{20}, {40}, {2}} {
		if got := []Sample{r.Base, r.Ours, r.Ratio}[i]; !slices.Equal(got, want) {
			t.Errorf("value %d: got %v, want %v", i, got, want)
		}
	}
}

// Ensures that the first error of either side ends a comparison, with no result.
func TestAnErrorEndsAComparison(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	calls := 0
	r, err := ByTurns(5, 5, func() error { return nil }, func() error { calls++; return lost }, func() {})
	if !errors.Is(err, lost) || calls != 1 || r.Ratio != nil {
		t.Errorf("turns: got error %v, %d calls and %v, want %v, 1 and nothing", err, calls, r.Ratio, lost)
	}
	calls = 0
	fine := func(uint64) (Work, error) { return Work{1, time.Second}, nil }
	r, err = BySlices(5, fine, func(uint64) (Work, error) { calls++; return Work{}, lost }, func() {})
	if !errors.Is(err, lost) || calls != 1 || r.Ratio != nil {
		t.Errorf("slices: got error %v, %d calls and %v, want %v, 1 and nothing", err, calls, r.Ratio, lost)
	}
}
