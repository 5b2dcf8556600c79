package optimistic

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// entries counts the keys that take memory.
func (l *lines[K, R]) entries() int {
	n := 0
	for i := range l.shards {
		l.shards[i].mu.Lock()
		n += len(l.shards[i].lines)
		l.shards[i].mu.Unlock()
	}
	return n
}

// Ensures that a key which equals nothing, itself included, is not kept for ever: its line would never be
// found again.
func TestKeysThatEqualNothingTakeNoMemory(t *testing.T) {
	t.Parallel()
	db := scriptdb.Shop().Open()
	t.Cleanup(func() { _ = db.Close() })
	type row struct {
		ID      float64
		Version uint64
	}
	s := NewStore(db, sqlcas.Table[float64, row]{
		Schema:     sqlcas.Schema{Name: "measure", Version: "version"},
		Compare:    cmp.Compare[float64],
		Key:        func(r row) float64 { return r.ID },
		Version:    func(r row) uint64 { return r.Version },
		SetVersion: func(r *row, version uint64) { r.Version = version },
		Get:        func(context.Context, sqlcas.DBTX, float64) (row, error) { return row{}, sql.ErrNoRows },
		Swap:       func(context.Context, sqlcas.DBTX, row, uint64) (int64, error) { return 1, nil },
	})
	for range 100 {
		_, err := s.Update(t.Context(), math.NaN(), func(*row) error { return nil })
		require.ErrorIs(t, err, sqlcas.ErrGone)
	}
	require.Zero(t, s.lines.entries(), "keys that take memory")
}
