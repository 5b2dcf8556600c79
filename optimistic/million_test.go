package optimistic

import (
	"context"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

const (
	million = 1_000_000
	// millionEnv has as many keys touched, if it is anything. The default is a fifth, as a race detector makes ten
	// seconds of one.
	millionEnv = "SQLCAS_TEST_MILLION"
	touchers   = 8 // are at it
)

// heap is how much memory is in use, once what is not has been collected.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// touch has callers share the keys from 0 to n.
func touch(n uint64, do func(key uint64)) {
	var all sync.WaitGroup
	for c := range uint64(touchers) {
		all.Go(func() {
			for key := c; key < n; key += touchers {
				do(key)
			}
		})
	}
	all.Wait()
}

// assertNoneKept ensures that the heap is back where it was, within a twentieth, after many keys were touched once.
// What the first leave behind, such as connections and what the runtime keeps of goroutines, does not count; as that
// comes and goes by some kilobytes, the heap before is the most of several looks.
func assertNoneKept(t *testing.T, do func(key uint64)) {
	t.Helper()
	n := uint64(million / 5)
	if os.Getenv(millionEnv) != "" {
		n = million
	}
	var before uint64
	for range 10 {
		touch(million/100, do)
		before = max(before, heap())
	}
	touch(n, do)
	after := heap()
	t.Logf("%d keys: %d bytes before, %d after", n, before, after)
	require.LessOrEqual(t, after, before+before/20, "heap after %d keys; before: %d", n, before)
}

// endless is a table that has every row.
func endless() sqlcas.Table[uint64, counter] {
	table := (&memory{}).table()
	table.Get = func(_ context.Context, _ sqlcas.DBTX, id uint64) (counter, error) {
		return counter{ID: id, Version: 5}, nil
	}
	table.Swap = func(context.Context, sqlcas.DBTX, counter, uint64) (int64, error) { return 1, nil }
	return table
}

// Ensures that a million rows which were changed once leave no memory behind.
//
// It is not parallel, as the heap is everybody's.
func TestAMillionRowsLeaveNoMemoryBehind(t *testing.T) {
	_, db := newMemory(t)
	db.SetMaxIdleConns(touchers) // else they are closed and opened all the time
	s := NewStore(db, endless())
	assertNoneKept(t, func(key uint64) {
		if _, err := s.Update(t.Context(), key, increment); err != nil {
			t.Errorf("key %d: %v", key, err)
		}
	})
	require.Zero(t, s.lines.entries())
	runtime.KeepAlive(s)
}

// Ensures that a million keys of WithKey do not either.
func TestAMillionQueuesLeaveNoMemoryBehind(t *testing.T) {
	type key struct{ id uint64 }
	assertNoneKept(t, func(id uint64) {
		err := Update(t.Context(), func(context.Context) (int64, error) { return 1, nil }, WithKey(key{id}))
		if err != nil {
			t.Errorf("key %d: %v", id, err)
		}
	})
	require.Zero(t, turns.entries())
}

// Ensures that what keys which were all taken at the same time leave behind is no more than an entry of a map each,
// which those that are taken later have.
func TestKeysTakenAtOnceLeaveLittleMemoryBehind(t *testing.T) {
	const n, entry = million / 10, 40
	_, db := newMemory(t)
	s, q := NewStore(db, endless()), newQueue()
	leave := make([]func(), 0, 2*n)
	before := heap()
	for i := range uint64(n) {
		w := &swap[uint64, counter]{key: i}
		ln, _ := s.lines.enter(t.Context(), w)
		pass, err := q.wait(t.Context(), i)
		require.NoError(t, err)
		leave = append(leave, func() { ln.leave(w) }, pass)
	}
	for i := range leave {
		leave[i]()
		leave[i] = nil
	}
	require.Zero(t, s.lines.entries())
	require.Zero(t, q.entries())
	after := heap()
	runtime.KeepAlive(s)
	runtime.KeepAlive(q)
	require.LessOrEqual(t, int(after-before)/n, 2*entry, "bytes of a key, of a Store's and of WithKey's")
	t.Logf("%d bytes a key", int(after-before)/n)
}
