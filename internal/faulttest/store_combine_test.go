package faulttest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

const (
	// combineEnv is for how long the callers of TestStoreCombinesWhateverItsClosuresDo work on each server.
	combineEnv  = "SQLCAS_TEST_COMBINE"
	combineTime = 20 * time.Second
	// lap is after how long they are audited, and begin with a line that is empty.
	lap = 5 * time.Second
	// editor is the place of the caller of UpdateIfVersion.
	editor = places - 1
)

// crush is many callers at one row, whose closures do what closures may do, and what they should not.
type crush struct {
	rig     *rig
	db      *sql.DB
	store   *optimistic.Store[uint64, shop.Account]
	limited bool // there are few versions left; who is told that there are none has done his work

	mu      sync.Mutex
	answers []answer
	seen    []shop.Account // by who reads
	told    shop.Account   // the last success's
	foreign map[uint64]bool
	counts  map[string]int
	wrong   []string // answers of the wrong class
}

func (c *crush) complain(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// call makes one call, in a goroutine that its closure may end. It reports whether its caller should go on.
func (c *crush) call(ctx context.Context, who call) bool {
	own, cancel, hurried := hurry(ctx)
	defer cancel()
	what := draw()
	a := answer{call: who, err: errExited}
	var report sqlcas.Report
	var answered atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer answered.Store(true)
		defer func() {
			if p := recover(); p != nil {
				a.err, _ = p.(error)
			}
		}()
		a.row, a.err = c.store.Update(own, 1, func(row *shop.Account) error {
			if answered.Load() {
				c.complain("%v: the closure runs when its caller has his answer", who)
			}
			who.sign(row)
			return what.do(row)
		}, sqlcas.WithReport(&report))
	}()
	<-done
	a.batch = report.Batch
	if hurried {
		return c.note(own, a, what)
	}
	return c.note(ctx, a, what)
}

// note keeps an answer, and complains if it is none that the call may get.
func (c *crush) note(ctx context.Context, a answer, what conduct) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := what.name
	unknown, spent := errors.Is(a.err, sqlcas.ErrOutcomeUnknown), false
	left := ctx.Err() != nil && errors.Is(a.err, ctx.Err())
	if _, limited := ctx.Deadline(); limited && errors.Is(a.err, context.DeadlineExceeded) {
		left = true // maybe ahead of it: a pause that would outlast the deadline is not begun
	}
	switch {
	case left && unknown:
		name = "left, unknown"
	case left:
		name = "left"
	case c.limited && !unknown && errors.Is(a.err, sqlcas.ErrVersionOverflow):
		name, spent = "no version", true
	case unknown || !what.want(a.err):
		c.wrong = append(c.wrong, fmt.Sprintf("%s: %v", what.name, a.err))
	}
	c.counts[name]++
	c.answers = append(c.answers, a)
	if a.err == nil {
		c.told = a.row
	}
	return !spent
}

// edit makes an edit at a version that was read before, or that a caller was told, which a batch may have passed
// over.
func (c *crush) edit(ctx context.Context, number int) bool {
	c.mu.Lock()
	at := c.told
	c.mu.Unlock()
	if number%2 == 0 {
		var err error
		if at, err = c.store.Get(ctx, 1); err != nil {
			c.complain("Get: %v", err)
			return false
		}
	}
	who := call{editor, number}
	row, err := c.store.UpdateIfVersion(ctx, 1, at.Version, func(a *shop.Account) error {
		if *a != at {
			c.complain("UpdateIfVersion: given %+v, which was %+v", *a, at)
		}
		who.sign(a)
		return nil
	})
	if errors.Is(err, sqlcas.ErrConflict) {
		if row.Version <= at.Version {
			c.complain("UpdateIfVersion: conflict of version %d with %d", at.Version, row.Version)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.counts["edit conflicts"]++
		c.answers, c.seen = append(c.answers, answer{call: who, err: err}), append(c.seen, row)
		return true
	}
	return c.note(ctx, answer{who, err, row, 0}, conduct{"edits", nil, isNil})
}

// read returns a reader, to whom versions must never go back.
func (c *crush) read(ctx context.Context) func(int) bool {
	var last shop.Account
	return func(int) bool {
		row, err := c.store.Get(ctx, 1)
		if err != nil || row.Version < last.Version {
			c.complain("Get after version %d: %+v, %v", last.Version, row, err)
			return false
		}
		if row != last {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.seen = append(c.seen, row)
		}
		last = row
		return true
	}
}

// overwrite writes past the Store, as another process does.
func (c *crush) overwrite(ctx context.Context) bool {
	version, err := c.rig.overwrite(ctx, 1)
	if err != nil {
		c.complain("write past the Store: %v", err)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.foreign[version] = true
	c.counts["foreign"]++
	return true
}

// run has all work for so long, and compares what they were told with what the row went through.
func (c *crush) run(t *testing.T, span time.Duration) {
	c.rig.exec(t, blankRolls+", version = version + 1")
	first, err := c.store.Get(t.Context(), 1)
	require.NoError(t, err)
	c.answers, c.seen, c.told, c.foreign = nil, nil, first, map[uint64]bool{}
	end := time.Now().Add(span)
	var over atomic.Bool
	var callers, others sync.WaitGroup
	work := func(all *sync.WaitGroup, pause time.Duration, do func(number int) bool) {
		all.Go(func() {
			for n := 1; !over.Load() && time.Now().Before(end) && do(n); n++ {
				time.Sleep(pause)
			}
		})
	}
	for i := range editor {
		work(&callers, 0, func(n int) bool { return c.call(t.Context(), call{i, n}) })
	}
	work(&callers, time.Millisecond, func(n int) bool { return c.edit(t.Context(), n) })
	work(&others, time.Millisecond, c.read(t.Context()))
	if !c.limited {
		work(&others, 5*time.Millisecond, func(int) bool { return c.overwrite(t.Context()) })
	}
	callers.Wait()
	over.Store(true)
	others.Wait()
	c.rig.quiet(t, c.db)
	c.rig.assertUnlocked(t)
	c.audit(t, first)
}

func (c *crush) audit(t *testing.T, first shop.Account) {
	p := c.rig.past(t, first, c.foreign)
	assertTrue(t, "classes", c.wrong)
	assertTrue(t, "answers", p.contradictions(c.answers, c.seen...))
	applied := len(p.applied())
	now, err := c.store.Get(t.Context(), 1)
	require.NoError(t, err)
	require.EqualValues(t, first.Balance+int64(applied), now.Balance, "the sum of the successes")
	require.EqualValues(t, first.Version+uint64(applied+len(c.foreign)), now.Version)
	c.rig.exec(t, "DELETE FROM remembered")
}

// newCrush makes one on account 1.
func newCrush(t *testing.T, s *mysqltest.Server) *crush {
	r := newRig(t, s, 1)
	r.exec(t, narrow)
	r.remember(t)
	db := open(t, dial(t, r.cfg))
	return &crush{rig: r, db: db, store: optimistic.NewStore(db, shop.AccountTable), counts: map[string]int{}}
}

// Ensures that whatever closures do, whoever leaves or is in their way, each caller gets exactly one answer, of the
// right class; that the row is the sum of those that were told success; that versions never go back,
// and that each is one call's and names one state, that of the row that the call was given.
func TestStoreCombinesWhateverItsClosuresDo(t *testing.T) {
	// Not beside other tests: some of those measure how long an answer takes.
	span, err := time.ParseDuration(cmp.Or(os.Getenv(combineEnv), combineTime.String()))
	require.NoError(t, err, combineEnv)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		c := newCrush(t, s)
		for left := span; left > 0 && !t.Failed(); left -= lap {
			c.run(t, min(left, lap))
		}
		show("one row and all that closures do, %v, %v: %v\n", span, s, c.counts)
	})
}

// Ensures the same where the versions run out: as many changes are written as there are versions, and all callers
// are told that there are no more.
func TestStoreCombinesUntilTheVersionsRunOut(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		const versions = 500
		c := newCrush(t, s)
		c.limited = true
		c.rig.exec(t, "UPDATE account SET version = ?", uint64(math.MaxUint64-versions-1))
		c.run(t, time.Minute)
		row, err := c.store.Get(t.Context(), 1)
		require.NoError(t, err)
		require.EqualValues(t, uint64(math.MaxUint64), row.Version)
		require.EqualValues(t, opening+versions, row.Balance)
		require.EqualValues(t, places, c.counts["no version"], "callers who were told")
		show("one row whose versions run out, %v: %v\n", s, c.counts)
	})
}
