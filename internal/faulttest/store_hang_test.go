package faulttest

import (
	"context"
	"database/sql"
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

// hangingRead is a Store one of whose reads hangs, as on a connection whose peer has gone without a word.
type hangingRead struct {
	*optimistic.Store[uint64, shop.Account]
	hangs  chan struct{} // closed when it does
	unhang func()
}

// hangAt makes one whose nth read hangs, until its context ends or it is let go.
func hangAt(t *testing.T, db *sql.DB, n int64) *hangingRead {
	t.Helper()
	hangs, free := make(chan struct{}), make(chan struct{})
	h := &hangingRead{hangs: hangs, unhang: sync.OnceFunc(func() { close(free) })}
	t.Cleanup(h.unhang)
	var reads atomic.Int64
	table := shop.AccountTable
	table.Get = func(ctx context.Context, db sqlcas.DBTX, key uint64) (shop.Account, error) {
		if reads.Add(1) == n {
			close(hangs)
			select {
			case <-free:
			case <-ctx.Done():
				return shop.Account{}, ctx.Err()
			}
		}
		return shop.AccountTable.Get(ctx, db, key)
	}
	h.Store = optimistic.NewStore(db, table)
	return h
}

// credit makes a call with some time.
func (h *hangingRead) credit(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := h.Update(ctx, 1, credit)
	return err
}

// Ensures that a read which hangs does not keep the row from callers on connections that work: not when all have
// left for whom it was made, not when others leave the line, and not when it is that of a caller alone.
func TestStoreReadThatHangsDoesNotKeepTheRow(t *testing.T) {
	t.Parallel()
	const read = 2 // a leader's first one: the other is his who is alone before him
	for name, test := range map[string]func(t *testing.T, db *sql.DB) (written int){
		"for those who left": func(t *testing.T, db *sql.DB) int {
			h := hangAt(t, db, read)
			var err error
			o := occupy(h.Store)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o.join(ctx, func(ctx context.Context) { _, err = h.Update(ctx, 1, credit) })
			go func() { <-h.hangs; cancel() }()
			o.leave()
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
			require.NoError(t, h.credit(t.Context(), inTime))
			return 1
		},
		"for one who stays": func(t *testing.T, db *sql.DB) int {
			h := hangAt(t, db, read)
			var err, other error
			o := occupy(h.Store)
			ctx, cancel := context.WithTimeout(t.Context(), inTime)
			defer cancel()
			o.join(ctx, func(ctx context.Context) { _, err = h.Update(ctx, 1, credit) })
			o.all.Go(func() {
				<-h.hangs
				other = h.credit(t.Context(), 1500*time.Millisecond) // longer than any read takes
			})
			o.leave()
			require.NoError(t, err)
			require.ErrorIs(t, other, context.DeadlineExceeded)
			require.NotErrorIs(t, other, sqlcas.ErrOutcomeUnknown)
			return 1
		},
		"alone": func(t *testing.T, db *sql.DB) int {
			h := hangAt(t, db, 1)
			var err error
			var all sync.WaitGroup
			all.Go(func() { _, err = h.Update(t.Context(), 1, credit) })
			<-h.hangs
			require.NoError(t, h.credit(t.Context(), inTime))
			h.unhang()
			all.Wait()
			require.NoError(t, err)
			return 2
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
				r := newRig(t, s, 1)
				db := open(t, dial(t, r.cfg))
				written := test(t, db)
				require.Equal(t, opening+written, r.number(t, "SELECT balance FROM account WHERE id = 1"))
				r.quiet(t, db)
				r.assertUnlocked(t)
			})
		})
	}
}
