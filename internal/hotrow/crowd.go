package hotrow

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sqlcas/sqlcas/internal/benchdb"
)

const (
	// patience is how long calls may go on after their turn. Among a thousand callers who compare versions
	// there are some that need it.
	patience = 30 * time.Second

	// grace is how long the answer to what was sent before the end of patience may then take.
	grace = 30 * time.Second
)

// errUnanswered says that calls have not returned.
var errUnanswered = errors.New("calls are still without an answer; is the row locked by somebody else?")

// crowd is the callers of one process, with what they share: a pool, and a Store of each kind.
type crowd struct {
	db              *sql.DB
	works           map[string]work
	patience, grace time.Duration
}

// outfit is what a crowd works with.
type outfit struct {
	DSN        string        `json:"dsn"`
	Strategies []string      `json:"strategies"`
	Pool       int           `json:"pool"`
	RTT        time.Duration `json:"rtt"`
}

// turn is a slice of time for one strategy.
type turn struct {
	Strategy string        `json:"strategy"`
	Callers  int           `json:"callers"`
	Keys     int           `json:"keys"`
	Start    time.Time     `json:"start"` // if that is over: at once
	Slice    time.Duration `json:"slice"`
	Seed     uint64        `json:"seed"` // of the keys that are drawn
}

// openCrowd opens the pool, which connects when it is needed. The caller closes the crowd.
func openCrowd(o outfit) (*crowd, error) {
	all, err := named(o.Strategies)
	if err != nil {
		return nil, err
	}
	db, err := benchdb.Open(o.DSN, o.Pool, o.RTT)
	if err != nil {
		return nil, err
	}
	c := &crowd{db: db, works: map[string]work{}, patience: patience, grace: grace}
	for _, s := range all {
		c.works[s.Name] = s.open(db)
	}
	return c, nil
}

func (c *crowd) close() { _ = c.db.Close() }

// take has all callers work for a turn. Calls that are under way at its end are finished, unless they run out of
// patience. The first error ends the turn, and is returned when all have stopped.
func (c *crowd) take(ctx context.Context, t turn) (tally, error) {
	w, ok := c.works[t.Strategy]
	if !ok {
		return tally{}, fmt.Errorf("strategy %q was not opened", t.Strategy)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		callers = make([]caller, t.Callers)
		wg      sync.WaitGroup
		start   = make(chan struct{})
		end     time.Time // it and l are set when start is closed
		l       limits
	)
	for i := range callers {
		keys := rand.New(rand.NewPCG(t.Seed, uint64(i)))
		draw := func() uint64 { return 1 + keys.Uint64N(uint64(t.Keys)) }
		wg.Go(func() {
			<-start
			own, done := l.own()
			defer done()
			if err := callers[i].work(own, w, draw, end); err != nil {
				stop(err)
			}
		})
	}
	sleepUntil(ctx, t.Start)
	began := time.Now()
	end = began.Add(t.Slice)
	var endPatience context.CancelFunc
	l.life = ctx
	l.patience, endPatience = context.WithCancel(ctx)
	defer endPatience()
	// Timers and not deadlines, which the strategies would see, and plan by.
	defer time.AfterFunc(t.Slice+c.patience, endPatience).Stop()
	defer time.AfterFunc(t.Slice+c.patience+c.grace, func() {
		stop(fmt.Errorf("%v after the end of their turn, %w", c.patience+c.grace, errUnanswered))
	}).Stop()
	close(start)
	wg.Wait()
	if ctx.Err() != nil {
		return tally{}, context.Cause(ctx)
	}
	all := sum(callers)
	all.Late = began.Sub(t.Start)
	return all, nil
}

// sleepUntil returns at the given time by the clock on the wall, which all processes of a machine share, or when
// ctx ends.
func sleepUntil(ctx context.Context, start time.Time) {
	timer := time.NewTimer(time.Until(start))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
