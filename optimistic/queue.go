package optimistic

import (
	"container/list"
	"context"
	"fmt"
	"hash/maphash"
	"reflect"
	"sync"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/settings"
)

// WithKey makes callers of this process that give an equal key take turns, in the order in which
// they came: one of them at a time has an attempt in flight, so that they do not lose to each
// other. On a hot row that is worth more than any backoff. The default is no queue.
//
// Keys are compared like keys of a map, type included. Use a type of your own that holds what
// names the row, so that rows of two tables are never mixed up:
//
//	type stockKey struct{ ProductID uint64 }
//	optimistic.Update(ctx, attempt, optimistic.WithKey(stockKey{id}))
//
// The queue is one per key for the whole process, whatever the database. Waiting for the turn ends
// with ctx; sqlcas.WithMaxElapsed counts from the turn. A call keeps its turn until it returns, and
// a call that joins a transaction does not queue, having its turn already. Never start a call with
// one key from the closure of a call with another outside of a transaction they share: two such
// callers in opposite order would wait for each other until their contexts end.
func WithKey[K comparable](key K) sqlcas.Option {
	return settings.Func(func(s *settings.Settings) error {
		if v := reflect.ValueOf(&key).Elem(); !v.Comparable() || key != key {
			return fmt.Errorf("%w: WithKey(%T): the value holds something that cannot be compared, or NaN",
				sqlcas.ErrInvalidArgument, key)
		}
		if s.Gate != nil {
			return fmt.Errorf("%w: WithKey is given twice: queue for one key, the hottest",
				sqlcas.ErrInvalidArgument)
		}
		s.Gate = func(ctx context.Context) (func(), error) { return turns.wait(ctx, key) }
		return nil
	})
}

// queueShards spreads the keys, so that callers of different keys hardly meet on a mutex.
const queueShards = 64

// turns is the queue of this process.
var turns = newQueue()

// queue hands out turns by key. A key takes memory only while somebody has its turn.
type queue struct {
	seed   maphash.Seed
	shards [queueShards]shard
}

type shard struct {
	mu   sync.Mutex
	keys map[any]*list.List // a present key is taken; the list holds a chan struct{} per waiter
}

func newQueue() *queue {
	q := &queue{seed: maphash.MakeSeed()}
	for i := range q.shards {
		q.shards[i].keys = map[any]*list.List{}
	}
	return q
}

// wait blocks until it is the caller's turn or ctx ends.
func (q *queue) wait(ctx context.Context, key any) (leave func(), err error) {
	s := &q.shards[maphash.Comparable(q.seed, key)%queueShards]
	leave = func() { s.pass(key) }
	s.mu.Lock()
	waiters, taken := s.keys[key]
	if !taken {
		s.keys[key] = nil
		s.mu.Unlock()
		return leave, nil
	}
	if waiters == nil {
		waiters = list.New()
		s.keys[key] = waiters
	}
	turn := make(chan struct{})
	place := waiters.PushBack(turn)
	s.mu.Unlock()

	select {
	case <-turn:
		return leave, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	select {
	case <-turn: // it came while ctx ended: pass it on
		s.mu.Unlock()
		s.pass(key)
	default:
		waiters.Remove(place)
		s.mu.Unlock()
	}
	return nil, ctx.Err()
}

// pass gives the turn to the next in line.
func (s *shard) pass(key any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiters := s.keys[key]
	if waiters == nil || waiters.Len() == 0 {
		delete(s.keys, key)
		return
	}
	close(waiters.Remove(waiters.Front()).(chan struct{}))
}
