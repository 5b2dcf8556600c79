package optimistic

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

// Ensures that a batch which had to wait, for a lock say, does not have the next caller wait for company in
// proportion.
func TestALineDoesNotLingerForWhatALockTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, db := newMemory(t)
		table := m.table()
		swap := table.Swap
		table.Swap = func(ctx context.Context, db sqlcas.DBTX, c counter, steps uint64) (int64, error) {
			if steps > 1 {
				time.Sleep(time.Minute)
			}
			return swap(ctx, db, c, steps)
		}
		s := NewStore(db, table)
		start := time.Now()
		var after time.Duration
		again := func(ctx context.Context) {
			_, err := s.Update(ctx, 1, increment)
			if err != nil {
				t.Errorf("a guest: %v", err)
			}
		}
		behind(t, s, 1, again, func(ctx context.Context) {
			again(ctx)
			start := time.Now()
			again(ctx)
			after = time.Since(start)
		})
		require.Greater(t, time.Since(start), time.Minute, "the two were to be written together")
		require.Less(t, after, time.Second)
	})
}
