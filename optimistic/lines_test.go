package optimistic

import (
	"cmp"
	"context"
	"database/sql"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// counter is a row of a table that is kept in memory.
type counter struct{ ID, N, Version uint64 }

// memory is that table. What is to happen at a read or a swap besides is for a test to say.
type memory struct {
	mu     sync.Mutex
	rows   map[uint64]counter
	swaps  []uint64 // their steps
	atRead func()
}

func (m *memory) table() sqlcas.Table[uint64, counter] {
	return sqlcas.Table[uint64, counter]{
		Schema:     sqlcas.Schema{Name: "counter", Key: []string{"id"}, Version: "version"},
		Key:        func(c counter) uint64 { return c.ID },
		Compare:    cmp.Compare[uint64],
		Version:    func(c counter) uint64 { return c.Version },
		SetVersion: func(c *counter, version uint64) { c.Version = version },
		Get: func(_ context.Context, _ sqlcas.DBTX, id uint64) (counter, error) {
			m.mu.Lock()
			at := m.atRead
			c, ok := m.rows[id]
			m.mu.Unlock()
			if at != nil {
				at()
			}
			if !ok {
				return counter{ID: id, Version: 1}, nil
			}
			return c, nil
		},
		Swap: func(_ context.Context, _ sqlcas.DBTX, c counter, steps uint64) (int64, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if now, ok := m.rows[c.ID]; ok && now.Version != c.Version {
				return 0, nil
			}
			c.Version += steps
			m.rows[c.ID] = c
			m.swaps = append(m.swaps, steps)
			return 1, nil
		},
	}
}

func (m *memory) at(read func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.atRead = read
}

func newMemory(t *testing.T) (*memory, *sql.DB) {
	db := scriptdb.Shop().Open()
	t.Cleanup(func() { _ = db.Close() })
	return &memory{rows: map[uint64]counter{}}, db
}

func increment(c *counter) error { c.N++; return nil }

// lined is a context that tells when its caller waits in line.
type lined struct {
	context.Context
	once sync.Once
	in   chan struct{}
}

func (l *lined) Done() <-chan struct{} {
	l.once.Do(func() { close(l.in) })
	return l.Context.Done()
}

// behind has guests call, one after the other, while another caller is alone with the row.
func behind(t *testing.T, s *Store[uint64, counter], id uint64, guests ...func(ctx context.Context)) {
	working, free := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		once := sync.OnceFunc(func() { close(working); <-free })
		_, err := s.Update(t.Context(), id, func(c *counter) error { once(); return increment(c) })
		if err != nil {
			t.Errorf("the caller alone: %v", err)
		}
	})
	<-working
	for _, guest := range guests {
		ctx := &lined{Context: t.Context(), in: make(chan struct{})}
		all.Go(func() { guest(ctx) })
		<-ctx.in
	}
	close(free)
	all.Wait()
}

// Ensures that keys which nobody wants any more take no memory.
func TestIdleKeysTakeNoMemory(t *testing.T) {
	t.Parallel()
	m, db := newMemory(t)
	s := NewStore(db, m.table())
	const callers, keys = 8, 2000
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for id := range uint64(keys) {
				if _, err := s.Update(t.Context(), id, increment); err != nil {
					t.Errorf("key %d: %v", id, err)
				}
			}
		})
	}
	all.Wait()
	for _, c := range m.rows {
		require.EqualValues(t, callers, c.N)
		require.EqualValues(t, callers+1, c.Version)
	}
	require.Eventually(t, func() bool { // a leader may be about to go
		n := 0
		for i := range s.lines.shards {
			s.lines.shards[i].mu.Lock()
			n += len(s.lines.shards[i].lines)
			s.lines.shards[i].mu.Unlock()
		}
		return n == 0
	}, time.Minute, time.Millisecond, "lines are left")
}

// Ensures that a panic of the table's code, and its Goexit, in a leader's goroutine come out in those of the
// callers, that the process lives, and that the row is served afterwards.
func TestWhatTheTableDoesToItsGoroutineIsTheCallers(t *testing.T) {
	t.Parallel()
	m, db := newMemory(t)
	s := NewStore(db, m.table())
	for name, do := range map[string]func(){"panic": func() { panic("oops") }, "Goexit": runtime.Goexit} {
		var recovered [2]any
		var exited [2]bool
		guest := func(i int) func(ctx context.Context) {
			return func(ctx context.Context) {
				done := make(chan struct{})
				go func() {
					defer close(done)
					exited[i] = true
					defer func() { recovered[i] = recover() }()
					_, err := s.Update(ctx, 1, increment)
					exited[i] = false
					t.Errorf("%s: the call returned %v", name, err)
				}()
				<-done
			}
		}
		behind(t, s, 1,
			func(ctx context.Context) { m.at(do); guest(0)(ctx) },
			guest(1),
		)
		m.at(nil)
		require.Equal(t, [2]bool{true, true}, exited, name)
		if name == "panic" {
			require.Equal(t, [2]any{"oops", "oops"}, recovered)
		}
		_, err := s.Update(t.Context(), 1, increment)
		require.NoError(t, err, name)
	}
	require.EqualValues(t, 4, m.rows[1].N)
}

// Ensures that rows of which the server computes a part are written one at a time.
func TestComputedRowsAreWrittenInTurn(t *testing.T) {
	t.Parallel()
	m, db := newMemory(t)
	table := m.table()
	table.Computed = true
	s := NewStore(db, table)
	guests := make([]func(ctx context.Context), 5)
	for i := range guests {
		guests[i] = func(ctx context.Context) {
			row, err := s.Update(ctx, 1, increment)
			if err != nil || row.N != uint64(i+2) || row.Version != uint64(i+3) {
				t.Errorf("guest %d: got %+v, %v", i, row, err)
			}
		}
	}
	behind(t, s, 1, guests...)
	require.Equal(t, []uint64{1, 1, 1, 1, 1, 1}, m.swaps)
}

// Ensures that changes up to the highest version that the column holds are written, and that the others are
// told so, also in the middle of a batch.
func TestBatchStopsAtTheHighestVersion(t *testing.T) {
	t.Parallel()
	m, db := newMemory(t)
	table := m.table()
	table.Schema.Max = 5
	s := NewStore(db, table)
	errs := make([]error, 6)
	guests := make([]func(ctx context.Context), len(errs))
	for i := range guests {
		guests[i] = func(ctx context.Context) { _, errs[i] = s.Update(ctx, 1, increment) }
	}
	behind(t, s, 1, guests...)
	for i, err := range errs {
		if i < 3 {
			require.NoError(t, err, "guest %d", i)
		} else {
			require.ErrorIs(t, err, sqlcas.ErrVersionOverflow, "guest %d", i)
		}
	}
	require.Equal(t, counter{1, 4, 5}, m.rows[1])
}
