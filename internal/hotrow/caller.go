package hotrow

import (
	"errors"
	"time"
)

// caller makes one call after the other.
type caller struct {
	inTime int64
	tries  int64
	took   []time.Duration // of each update; counted when the turn is over, so that callers do not meet at it
}

// work calls until the end. A call that is then under way is finished.
func (c *caller) work(l limits, w work, draw func() uint64, end time.Time) error {
	for now := time.Now(); now.Before(end); {
		tries, err := w(l, draw())
		switch {
		case errors.Is(err, errGaveUp):
			return nil
		case err != nil:
			return err
		}
		after := time.Now()
		c.took = append(c.took, after.Sub(now))
		c.tries += tries
		if !after.After(end) {
			c.inTime++
		}
		now = after
	}
	return nil
}

// sum adds up what callers have done.
func sum(callers []caller) tally {
	t := tally{Times: newTimes()}
	for i := range callers {
		c := &callers[i]
		t.InTime += c.inTime
		t.Tries += c.tries
		t.Callers = append(t.Callers, int64(len(c.took)))
		for _, took := range c.took {
			t.Times.add(took)
		}
	}
	return t
}
