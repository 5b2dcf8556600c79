package optimistic

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas/internal/versioned"
)

// lines are where the callers of one Store meet who want the same row. A key takes memory only while
// somebody is at it.
type lines[K comparable, R any] struct {
	base   *versioned.Base[K, R]
	record recorder // enters what closures emit; nil without a journal
	seed   maphash.Seed
	shards [queueShards]lineShard[K, R]
}

type lineShard[K comparable, R any] struct {
	mu    sync.Mutex
	lines map[K]*line[K, R]
}

// line is one row's. It has a caller who is alone with the row, or a leader who serves those who queue. All of
// it is under its shard's mutex, but for what belongs to the leader.
type line[K comparable, R any] struct {
	shard *lineShard[K, R]
	key   K
	alone *swap[K, R]  // has the row, without a leader
	crowd *crowd[K, R] // nil until a second caller comes
}

// crowd is a line that more than one caller has stood in.
type crowd[K comparable, R any] struct {
	queue []*member[K, R]

	patient *time.Timer   // ends the wait for a caller alone whose closure blocks
	looks   int           // how often that was looked at
	waited  int           // how many the leader waits for; 0 if he does not
	enough  chan struct{} // tells him that they have come

	leader  leader[K, R]                // the leader's own
	current atomic.Pointer[batch[K, R]] // what he is at
}

func newLines[K comparable, R any](base *versioned.Base[K, R]) *lines[K, R] {
	l := &lines[K, R]{base: base, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].lines = map[K]*line[K, R]{}
	}
	return l
}

// enter puts a call in line. Who finds nobody there has the row to himself, is no member, and leaves by leave.
func (l *lines[K, R]) enter(ctx context.Context, w *swap[K, R]) (*line[K, R], *member[K, R]) {
	s := &l.shards[maphash.Comparable(l.seed, w.key)%queueShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	ln := s.lines[w.key]
	if ln == nil {
		ln = &line[K, R]{shard: s, key: w.key, alone: w}
		s.lines[w.key] = ln
		return ln, nil
	}
	if ln.crowd == nil {
		ln.crowd = &crowd[K, R]{leader: leader[K, R]{base: l.base, set: l.base.Settings(), record: l.record}}
	}
	c := ln.crowd
	m := &member[K, R]{ctx: ctx, swap: w, line: ln, wake: make(chan *batch[K, R], 1)}
	c.queue = append(c.queue, m)
	if one := ln.alone; one != nil && c.patient == nil {
		c.patient = time.AfterFunc(closureBound, func() { ln.overtake(one) })
	}
	if c.waited > 0 && len(c.queue) >= c.waited {
		c.waited = 0
		c.enough <- struct{}{}
	}
	return ln, m
}

// leave ends a caller's time alone with the row. Who has come meanwhile is served by a leader.
func (ln *line[K, R]) leave(w *swap[K, R]) {
	s := ln.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	if ln.alone == w { // else he was overtaken
		ln.lead()
	}
}

// overtake has those in line served although a caller is alone with the row, if it is his closure that takes
// so long. While the server keeps him waiting, they would wait as well, but not for ever: it may be his
// connection alone that is dead.
func (ln *line[K, R]) overtake(w *swap[K, R]) {
	s := ln.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c := ln.crowd; {
	case ln.alone != w:
	case w.computing.Load() || time.Duration(c.looks)*closureBound > hangBound:
		ln.lead()
	default:
		c.looks++
		c.patient.Reset(closureBound)
	}
}

// lead takes the row from the caller who was alone with it.
func (ln *line[K, R]) lead() {
	ln.alone = nil
	c := ln.crowd
	if c != nil && c.patient != nil {
		c.patient.Stop()
		c.patient = nil
	}
	if c == nil || len(c.queue) == 0 {
		delete(ln.shard.lines, ln.key)
		return
	}
	c.enough = make(chan struct{}, 1)
	go ln.serve()
}

// serve is the leader's work. He goes when nobody is in line.
func (ln *line[K, R]) serve() {
	finished := false
	defer func() {
		if !finished { // the table's code has ended this goroutine
			go ln.serve()
		}
	}()
	ln.crowd.leader.serve(ln, nil) // what a leader before has left undone
	for {
		members := ln.collect()
		if members == nil {
			break
		}
		ln.crowd.leader.serve(ln, members)
	}
	finished = true
}

// collect takes those in line for a batch; nil if there are none, and the line is over.
//
// Where batches form, those who were just answered are about to come back, and whoever comes first would be
// served alone while the others wait for another commit. So the leader waits for as many as there were,
// but for no more than a part of the time that a batch takes.
func (ln *line[K, R]) collect() []*member[K, R] {
	s := ln.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	if want, linger := ln.crowd.leader.linger(); len(ln.crowd.queue) < want {
		ln.crowd.waited = want
		s.mu.Unlock()
		timer := time.NewTimer(linger)
		select {
		case <-ln.crowd.enough:
		case <-timer.C:
		}
		timer.Stop()
		s.mu.Lock()
		if ln.crowd.waited == 0 { // they have come while the time ran out
			select {
			case <-ln.crowd.enough:
			default:
			}
		}
		ln.crowd.waited = 0
	}
	if len(ln.crowd.queue) == 0 {
		delete(s.lines, ln.key)
		return nil
	}
	return ln.take(maxBatch)
}

// more takes those who have come since, for a batch that is still being made; of those with an operation only if it
// batch admits them.
func (ln *line[K, R]) more(limit int, operations bool) []*member[K, R] {
	ln.shard.mu.Lock()
	defer ln.shard.mu.Unlock()
	if !operations {
		first := slices.IndexFunc(ln.crowd.queue, func(m *member[K, R]) bool { return m.swap.op != nil })
		if first >= 0 {
			limit = min(limit, first)
		}
	}
	return ln.take(limit)
}

func (ln *line[K, R]) take(limit int) []*member[K, R] {
	if len(ln.crowd.queue) <= limit {
		taken := ln.crowd.queue
		ln.crowd.queue = nil
		return taken
	}
	taken := ln.crowd.queue[:limit:limit]
	ln.crowd.queue = ln.crowd.queue[limit:]
	return taken
}

// remove takes a caller out of the line who has not been taken for a batch.
func (ln *line[K, R]) remove(m *member[K, R]) {
	ln.shard.mu.Lock()
	defer ln.shard.mu.Unlock()
	for i, other := range ln.crowd.queue {
		if other == m {
			ln.crowd.queue = append(ln.crowd.queue[:i:i], ln.crowd.queue[i+1:]...)
			return
		}
	}
}
