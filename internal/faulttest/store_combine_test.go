package faulttest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// combineEnv is for how long the callers of TestStoreCombinesWhateverItsClosuresDo work.
const combineEnv = "SQLCAS_TEST_COMBINE"

// crush is many callers at one row, whose closures do what closures may do, and what they should not.
type crush struct {
	store *optimistic.Store[uint64, shop.Account]

	mu       sync.Mutex
	versions []uint64 // that successes were told
	added    int64    // by successes
	counts   map[string]int
	wrong    []string // answers of the wrong class
}

var (
	errRefusal = errors.New("refused")
	errPanic   = errors.New("panicked")
)

// conduct is what a closure does besides adding 1; want says whether its caller's error is right.
type conduct struct {
	name string
	do   func(a *shop.Account) error
	want func(err error) bool
}

func isServerError(number uint16) func(error) bool {
	return func(err error) bool {
		var server *mysql.MySQLError
		return errors.As(err, &server) && server.Number == number
	}
}

var conducts = []conduct{
	{"succeeds", func(*shop.Account) error { return nil }, func(err error) bool { return err == nil }},
	{"refuses", func(a *shop.Account) error { a.Balance = -1; return errRefusal }, func(err error) bool { return err == errRefusal }},
	{"panics", func(a *shop.Account) error { a.Balance = -1; panic(errPanic) }, func(err error) bool { return err == errPanic }},
	{"exits", func(a *shop.Account) error { a.Balance = -1; runtime.Goexit(); return nil }, func(err error) bool { return err == errExited }},
	{
		"blocks", func(*shop.Account) error { time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond); return nil },
		func(err error) bool { return err == nil },
	},
	{"is too long", func(a *shop.Account) error { a.Owner = strings.Repeat("x", 65); return nil }, isServerError(1406)},
}

var errExited = errors.New("its goroutine has ended")

// draw picks a conduct: most succeed, few block.
func draw() conduct {
	switch n := rand.IntN(1000); {
	case n < 800:
		return conducts[0]
	case n < 900:
		return conducts[1]
	case n < 930:
		return conducts[2]
	case n < 960:
		return conducts[3]
	case n < 962:
		return conducts[4]
	}
	return conducts[5]
}

// call makes one call, in a goroutine that its closure may end.
func (c *crush) call(t *testing.T) {
	ctx, cancel := t.Context(), context.CancelFunc(func() {})
	hurry := rand.IntN(10) == 0
	if hurry {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(5000))*time.Microsecond)
	}
	defer cancel()
	what := draw()
	var row shop.Account
	err := errExited
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err, _ = p.(error)
			}
		}()
		row, err = c.store.Update(ctx, 1, func(a *shop.Account) error {
			a.Balance++
			return what.do(a)
		})
	}()
	<-done
	c.note(what, row, err, hurry)
}

func (c *crush) note(what conduct, row shop.Account, err error, hurry bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case hurry && errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, sqlcas.ErrOutcomeUnknown):
		c.counts["left in time"]++
		return
	case !what.want(err):
		c.wrong = append(c.wrong, fmt.Sprintf("%s: %v", what.name, err))
		return
	}
	c.counts[what.name]++
	if err == nil {
		c.added++
		c.versions = append(c.versions, row.Version)
	}
}

// detached makes edits at a version that was read before.
func (c *crush) detached(t *testing.T) {
	row, err := c.store.Get(t.Context(), 1)
	require.NoError(t, err)
	row, err = c.store.UpdateIfVersion(t.Context(), 1, row.Version, func(a *shop.Account) error { a.Balance++; return nil })
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.counts["edited"]++
		c.added++
		c.versions = append(c.versions, row.Version)
	case !errors.Is(err, sqlcas.ErrConflict):
		c.wrong = append(c.wrong, fmt.Sprintf("UpdateIfVersion: %v", err))
	}
}

// foreign writes past the Store, as another process does.
func (c *crush) foreign(t *testing.T, db *sql.DB) {
	q := shop.New(db)
	a, err := q.GetAccount(t.Context(), 1)
	require.NoError(t, err)
	n, err := q.CreditBalance(t.Context(), shop.CreditBalanceParams{Balance: a.Balance + 1000, ID: 1, Version: a.Version})
	require.NoError(t, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n == 1 {
		c.counts["foreign"]++
		c.added += 1000
		c.versions = append(c.versions, a.Version+1)
	}
}

// Ensures that whatever closures do, leave or are in their way, each caller gets exactly one answer, of the
// right class; that the row is the sum of those that were told success; and that no two of them were told one
// version, and none is missing.
func TestStoreCombinesWhateverItsClosuresDo(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		db := open(t, dial(t, r.cfg))
		c := &crush{store: optimistic.NewStore(db, shop.AccountTable), counts: map[string]int{}}
		span, err := time.ParseDuration(cmp.Or(os.Getenv(combineEnv), "3s"))
		require.NoError(t, err, combineEnv)
		end := time.Now().Add(span)
		var all sync.WaitGroup
		work := func(callers int, pause time.Duration, do func()) {
			for range callers {
				all.Go(func() {
					for time.Now().Before(end) {
						do()
						time.Sleep(pause)
					}
				})
			}
		}
		work(64, 0, func() { c.call(t) })
		work(1, time.Millisecond, func() { c.detached(t) })
		work(1, 5*time.Millisecond, func() { c.foreign(t, r.truth) })
		all.Wait()

		require.Empty(t, c.wrong[:min(len(c.wrong), 10)])
		require.EqualValues(t, opening+c.added, r.number(t, "SELECT balance FROM account WHERE id = 1"))
		slices.Sort(c.versions)
		for i, v := range c.versions {
			require.EqualValues(t, firstVersion+1+i, v, "version of write %d", i+1)
		}
		require.EqualValues(t, firstVersion+len(c.versions), r.number(t, "SELECT version FROM account WHERE id = 1"))
		r.quiet(t, db)
		r.assertUnlocked(t)
		show("one row and all that closures do, %v, %v: %v\n", span, s, c.counts)
	})
}
