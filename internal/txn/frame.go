package txn

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/sqlcas/sqlcas/internal/witness"
)

// Frame is a harness call that is under way. Frames travel in the context of closures, so that a
// call inside a closure finds the call around it.
type Frame struct {
	outer *Frame
	db    *sql.DB // nil for a plain Retry, which has none
	tx    *sql.Tx
	ident identity
	sess  *witness.Session

	joins atomic.Int64 // joined calls under way
	ended atomic.Bool  // the closure has returned
}

type frameKey struct{}

// ErrEnded is Join's error when the closure that it would join has returned.
var ErrEnded = errors.New("the closure whose transaction this call would join has returned")

// Enclosing returns the innermost call that ctx is part of, or nil.
func Enclosing(ctx context.Context) *Frame {
	f, _ := ctx.Value(frameKey{}).(*Frame)
	return f
}

// EnterPlain marks ctx as inside a plain Retry.
func EnterPlain(ctx context.Context) context.Context {
	return context.WithValue(ctx, frameKey{}, &Frame{outer: Enclosing(ctx)})
}

// Plain reports whether f is a plain Retry, which owns no transaction.
func (f *Frame) Plain() bool { return f.db == nil }

// On returns the transaction on db that f is part of, or nil, and whether it is the innermost one.
// A nil f is part of none.
func (f *Frame) On(db *sql.DB) (outer *Frame, innermost bool) {
	for outer = f; outer != nil; outer = outer.outer {
		if outer.db == db {
			return outer, outer == f
		}
	}
	return nil, false
}

// PoolOf returns the pool whose transaction tx is, if ctx is that of the closure it was given to.
func PoolOf(ctx context.Context, tx *sql.Tx) (*sql.DB, bool) {
	for f := Enclosing(ctx); f != nil; f = f.outer {
		if f.tx == tx && tx != nil {
			return f.db, true
		}
	}
	return nil, false
}

// Owe notes that the closure of tx was told of a conflict: if it returns nil all the same, nothing is
// committed.
func Owe(ctx context.Context, tx *sql.Tx, err error) {
	for f := Enclosing(ctx); f != nil; f = f.outer {
		if f.tx == tx && tx != nil {
			f.sess.Owe(err)
			return
		}
	}
}

// Join runs fn as a part of f's transaction. If fn fails after it has changed something, the
// transaction can no longer be committed: its caller would otherwise make half of fn durable by
// handling the error.
func (f *Frame) Join(ctx context.Context, fn func(context.Context, *sql.Tx) error) error {
	f.joins.Add(1)
	defer f.joins.Add(-1)
	if f.ended.Load() {
		return ErrEnded
	}
	before, mark := f.sess.Changes(), f.sess.Mark()
	finished := false
	defer func() {
		if !finished { // a panic or Goexit that somebody may recover from
			f.forbid(before, errors.New("a joined call panicked"))
		}
	}()
	err := fn(ctx, f.tx)
	finished = true
	if err != nil {
		f.forbid(before, err)
		f.sess.Forgive(mark) // it has said so
	}
	return err
}

// end notes that the closure has returned. A joined call that is still under way on another
// goroutine would be committed by half.
func (f *Frame) end() {
	f.ended.Store(true)
	if f.joins.Load() > 0 {
		f.sess.Forbid(errors.New("the closure returned while a call that had joined its transaction " +
			"was under way on another goroutine: wait for it"))
	}
}

func (f *Frame) forbid(before int, err error) {
	if f.sess.Changes() > before {
		f.sess.Forbid(fmt.Errorf("a call that had joined this transaction failed "+
			"and its changes cannot be undone alone: %w", err))
	}
}

// WithinPlain reports whether f, or a call around it, is a plain Retry.
func (f *Frame) WithinPlain() bool {
	for ; f != nil; f = f.outer {
		if f.Plain() {
			return true
		}
	}
	return false
}
