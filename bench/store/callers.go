package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas/bench/internal/paired"
)

// oneCaller compares two works on a quiet row.
func oneCaller(ctx context.Context, b *books, p plan, byHand, store work, told func()) (paired.Result, error) {
	id := b.ids[0]
	once := func(w work) func() error {
		return func() error {
			err := w(ctx, id)
			if err == nil {
				b.reported++
			}
			return err
		}
	}
	r, err := paired.ByTurns(p.rounds, p.pairs, once(byHand), once(store), told)
	if err != nil {
		return r, err
	}
	return r, b.check(ctx)
}

// manyCallers compares two works over all rows.
func manyCallers(
	ctx context.Context, b *books, p plan, byHand, store work, told func(),
) (paired.Result, error) {
	slice := func(w work) func(uint64) (paired.Work, error) {
		return func(seed uint64) (paired.Work, error) {
			did, err := crowd(ctx, b, p, w, seed)
			if err != nil {
				return did, err
			}
			return did, b.check(ctx)
		}
	}
	return paired.BySlices(p.rounds, slice(byHand), slice(store), told)
}

// crowd has all callers work for a slice of time. Calls that are under way at its end are finished, and count,
// as does the time that they take. The first error ends it, and is returned when all have stopped.
func crowd(ctx context.Context, b *books, p plan, w work, seed uint64) (paired.Work, error) {
	var (
		wg    sync.WaitGroup
		over  atomic.Bool
		done  atomic.Int64
		first error
		fail  sync.Once
	)
	start := time.Now()
	timer := time.AfterFunc(p.slice, func() { over.Store(true) })
	defer timer.Stop()
	for caller := range p.callers {
		wg.Go(func() {
			keys := rand.New(rand.NewPCG(seed, uint64(caller)))
			for !over.Load() {
				if err := w(ctx, b.ids[keys.IntN(len(b.ids))]); err != nil {
					fail.Do(func() { first = err })
					over.Store(true)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	did := paired.Work{Done: int(done.Load()), Took: time.Since(start)}
	b.reported += done.Load()
	return did, first
}
