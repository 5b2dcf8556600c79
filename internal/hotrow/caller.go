package hotrow

import (
	"errors"
	"time"
)

// caller makes one call after the other.
type caller struct {
	inTime  int64
	tries   int64
	updates []update // counted when the turn is over, so that callers do not meet at it
	gaveUp  bool     // its last call did
}

// update is one that was done.
type update struct {
	key  uint64
	took time.Duration
}

// work calls until the end. A call that is then under way is finished.
func (c *caller) work(l limits, w work, draw func() uint64, end time.Time) error {
	for now := time.Now(); now.Before(end); {
		key := draw()
		tries, err := w(l, key)
		switch {
		case errors.Is(err, errGaveUp):
			c.gaveUp = true
			return nil
		case err != nil:
			return err
		}
		after := time.Now()
		c.updates = append(c.updates, update{key: key, took: after.Sub(now)})
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
	t := tally{Keys: map[uint64]int64{}, Times: newTimes()}
	for i := range callers {
		c := &callers[i]
		t.InTime += c.inTime
		t.Tries += c.tries
		t.Callers = append(t.Callers, int64(len(c.updates)))
		if c.gaveUp {
			t.GaveUp++
		}
		for _, u := range c.updates {
			t.Keys[u.key]++
			t.Times.add(u.took)
		}
	}
	return t
}
