package optimistic

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// bag is a row that shares what it holds with its plain copies.
type bag struct {
	ID, Version uint64
	Items       map[string]int
}

func (b bag) clone() bag {
	items := map[string]int{}
	for name, n := range b.Items { // maps.Clone is hidden from the race detector
		items[name] = n
	}
	b.Items = items
	return b
}

// bags is a table of one bag.
func bags(b bag) sqlcas.Table[uint64, bag] {
	var mu sync.Mutex
	return sqlcas.Table[uint64, bag]{
		Schema:     sqlcas.Schema{Name: "bag", Key: []string{"id"}, Version: "version"},
		Key:        func(b bag) uint64 { return b.ID },
		Compare:    cmp.Compare[uint64],
		Version:    func(b bag) uint64 { return b.Version },
		SetVersion: func(b *bag, version uint64) { b.Version = version },
		Clone:      bag.clone,
		Get: func(context.Context, sqlcas.DBTX, uint64) (bag, error) {
			mu.Lock()
			defer mu.Unlock()
			return b.clone(), nil
		},
		Swap: func(_ context.Context, _ sqlcas.DBTX, next bag, steps uint64) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			if next.Version != b.Version {
				return 0, nil
			}
			b = next.clone()
			b.Version += steps
			return 1, nil
		},
	}
}

// stalled is a context whose caller is kept from looking whether he has the turn, as a goroutine that gets no CPU is.
type stalled struct {
	context.Context
	asked    atomic.Int32
	in, free chan struct{}
}

func (s *stalled) Done() <-chan struct{} {
	if s.asked.Add(1) == 1 {
		close(s.in)
		<-s.free
	}
	return s.Context.Done()
}

// Ensures that who comes to his turn when the batch is over does not touch the row, which is another caller's by then.
func TestALateMemberLeavesTheRowAlone(t *testing.T) {
	t.Parallel()
	db := scriptdb.Shop().Open()
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s := NewStore(db, bags(bag{ID: 1, Version: 5, Items: map[string]int{}}))
	put := func(name string) func(*bag) error {
		return func(b *bag) error { b.Items[name]++; return nil }
	}
	working, free := make(chan struct{}), make(chan struct{})
	answered := &lined{Context: t.Context(), in: make(chan struct{})}
	late := &stalled{Context: t.Context(), in: make(chan struct{}), free: make(chan struct{})}
	var all sync.WaitGroup
	update := func(ctx context.Context, change func(*bag) error) bag {
		row, err := s.Update(ctx, 1, change)
		if err != nil {
			t.Errorf("update: %v", err)
		}
		return row
	}
	all.Go(func() {
		once := sync.OnceFunc(func() { close(working); <-free })
		update(t.Context(), func(b *bag) error { once(); return put("alone")(b) })
	})
	<-working
	all.Go(func() {
		row := update(answered, put("answered"))
		close(late.free)
		for i := range 2000 {
			row.Items["his own"] = i
			runtime.Gosched()
		}
	})
	<-answered.in
	all.Go(func() { update(late, put("late")) })
	<-late.in
	close(free)
	all.Wait()
	row, err := s.Get(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, bag{ID: 1, Version: 8, Items: map[string]int{"alone": 1, "answered": 1, "late": 1}}, row)
}

// Ensures that a panic of the table's SetVersion is its caller's, and that his change is not written.
func TestAPanicOfSetVersionUndoesTheChange(t *testing.T) {
	t.Parallel()
	m, db := newMemory(t)
	table := m.table()
	m.rows[1] = counter{ID: 1, Version: 5}
	var once atomic.Bool
	table.SetVersion = func(c *counter, version uint64) {
		if version == 8 && once.CompareAndSwap(false, true) {
			panic("SetVersion")
		}
		c.Version = version
	}
	s := NewStore(db, table)
	var panicked any
	behind(t, s, 1,
		func(ctx context.Context) {
			_, err := s.Update(ctx, 1, increment)
			if err != nil {
				t.Errorf("update: %v", err)
			}
		},
		func(ctx context.Context) {
			defer func() { panicked = recover() }()
			_, _ = s.Update(ctx, 1, increment)
		},
	)
	require.Equal(t, "SetVersion", panicked)
	require.Equal(t, counter{ID: 1, N: 2, Version: 7}, m.rows[1])
}

// Ensures that a line which lives on keeps nothing of those who were answered.
func TestALineKeepsNobodyWhoWasAnswered(t *testing.T) {
	t.Parallel()
	m, db := newMemory(t)
	table := m.table()
	table.Computed = true                               // each change is a batch of its own
	m.at(func() { time.Sleep(100 * time.Microsecond) }) // so that somebody always waits
	s := NewStore(db, table)
	type key struct{}
	const guests = 50
	var freed atomic.Int32
	var calls []func(ctx context.Context)
	for range guests {
		calls = append(calls, func(ctx context.Context) {
			value := new([1 << 10]byte)
			runtime.AddCleanup(value, func(int) { freed.Add(1) }, 0)
			_, err := s.Update(context.WithValue(ctx, key{}, value), 1, increment)
			if err != nil {
				t.Errorf("update: %v", err)
			}
		})
	}
	over := make(chan struct{})
	var others sync.WaitGroup
	calls = append(calls, func(ctx context.Context) {
		for range 8 { // they keep the line alive
			others.Go(func() {
				for running := true; running; {
					select {
					case <-over:
						running = false
					default:
						_, _ = s.Update(t.Context(), 1, increment)
					}
				}
			})
		}
		_, _ = s.Update(ctx, 1, increment)
	})
	behind(t, s, 1, calls...)
	for deadline := time.Now().Add(10 * time.Second); freed.Load() < guests && time.Now().Before(deadline); {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	close(over)
	others.Wait()
	require.EqualValues(t, guests, freed.Load(), "contexts that nothing refers to any more")
}

// Ensures that a swap by several steps is known not to have been applied also where others have moved the row since, as
// long as it is short of where the swap would have taken it; and that versions which may have come again tell nothing.
func TestARowShortOfTheSwapProvesThatItWasNotApplied(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t)
	table := m.table()
	for now, proof := range map[uint64]bool{4: false, 5: true, 7: true, 8: false, 9: false} {
		m.rows[1] = counter{ID: 1, Version: now}
		got, err := unmoved(t.Context(), nil, &table, 1, 5, 3)
		require.NoError(t, err)
		require.Equal(t, proof, got, "read at 5, moved by 3, found at %d", now)
	}
	m.rows[1] = counter{ID: 1, Version: 1}
	got, err := unmoved(t.Context(), nil, &table, 1, 1, 3)
	require.NoError(t, err)
	require.False(t, got, "a row that is entered anew starts at 1")
}
