// Package settings holds what options set, so that packages which may not import the root can
// read it and packages beside the root can define options of their own.
package settings

import (
	"context"
	"database/sql"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// Option changes one setting. Apply checks its own value and what it clashes with, and returns an
// error that names the option and the mend.
type Option interface {
	Apply(*Settings) error
}

// Func makes an Option of a function.
type Func func(*Settings) error

// Apply calls f.
func (f Func) Apply(s *Settings) error { return f(s) }

// Ready is options that were applied once for many calls. Where it is the only option of a call, the call reads its
// Settings where they lie; nobody changes them.
type Ready struct{ *Settings }

// Apply sets everything as it is in r.
func (r Ready) Apply(s *Settings) error {
	*s = *r.Settings
	return nil
}

// Settings is what the options of one call came to. The zero value is not usable; see Default.
type Settings struct {
	MaxAttempts   int           // 0: no limit
	MaxElapsed    time.Duration // from the start of the first attempt
	BaseDelay     time.Duration
	MaxDelay      time.Duration
	DelaysSet     bool // BaseDelay and MaxDelay were given by the caller
	NewBackOff    func() backoff.BackOff
	CommitTimeout time.Duration
	CommitSet     bool // CommitTimeout was given by the caller
	Isolation     sql.IsolationLevel
	IsolationSet  bool
	Classify      func(error) mysqlerr.Class // nil: mysqlerr.Classify
	Gate          Gate                       // nil: no queue
	Observer      any                        // a sqlcas.Observer, or nil
	Report        any                        // a *sqlcas.Report, or nil
	Lock          *Lock                      // how a locking read waits; nil: as the server does
	Alone         bool                       // the call shares no transaction with others
	Store         bool                       // the call is a Store's, whose attempts know what became of them
	OperationID   string                     // under which the change is noted; "": none
	Fingerprint   string                     // of the operation's request; "": none
	Target        string                     // what the operation changes, where a Store knows; "": a whole transaction
}

// Lock is what a pessimistic Store's options say about waiting for a row's lock.
type Lock struct {
	Option string        // the name of the option, for errors
	Wait   uint8         // a sqlcas.LockWait
	Limit  time.Duration // of the wait; 0: none of ours
}

// Gate lets one call at a time pass. It blocks until it is the caller's turn or ctx ends; leave
// must be called once when err is nil.
type Gate func(ctx context.Context) (leave func(), err error)

// Defaults, as documented on the options.
const (
	DefaultMaxElapsed    = 30 * time.Second
	DefaultBaseDelay     = 2 * time.Millisecond
	DefaultMaxDelay      = 250 * time.Millisecond
	DefaultCommitTimeout = 5 * time.Second
)

// Default returns the settings of a call without options.
func Default() Settings {
	return Settings{
		MaxElapsed:    DefaultMaxElapsed,
		BaseDelay:     DefaultBaseDelay,
		MaxDelay:      DefaultMaxDelay,
		CommitTimeout: DefaultCommitTimeout,
	}
}

// BackOff makes the state of one call's pauses, where the caller has given no function that does. A library's
// exponential back-off draws from interval * (1 ± factor); with factor 1 and half the interval, that is full
// jitter: anything from 0 to the interval.
func (s *Settings) BackOff() backoff.BackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(max(s.BaseDelay/2, 1)),
		backoff.WithMaxInterval(max(s.MaxDelay/2, 1)),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(1),
		backoff.WithMaxElapsedTime(0),
	)
}

// ClassOf classifies err by the caller's classifier if there is one, else by the servers' table. A
// lost connection, an ended context and an interrupted statement are what they are whatever the
// classifier says: who takes them for something that may be repeated applies a change twice.
func (s *Settings) ClassOf(err error) mysqlerr.Class {
	class := mysqlerr.Classify(err)
	switch class {
	case mysqlerr.Lost, mysqlerr.Context, mysqlerr.Interrupted:
		return class
	}
	if s.Classify != nil {
		return s.Classify(err)
	}
	return class
}

// ForStore marks the call as a Store's.
func ForStore() Option {
	return Func(func(s *Settings) error {
		s.Store = true
		return nil
	})
}

// ForLockingStore is ForStore for a Store that has read the options about locks.
func ForLockingStore() Option {
	return Func(func(s *Settings) error {
		s.Store, s.Lock = true, nil
		return nil
	})
}

// ForTarget says what the operation of a Store's call changes.
func ForTarget(target string) Option {
	return Func(func(s *Settings) error {
		s.Target = target
		return nil
	})
}

// Peek returns what options come to, for a Store that wants to know some of them before it hands
// them all to a harness. Errors are left for the harness to find.
func Peek[O Option](opts []O) Settings {
	s := Default()
	for _, o := range opts {
		if any(o) != nil {
			_ = o.Apply(&s)
		}
	}
	return s
}

// Aborts reports whether err forbids a COMMIT: by the servers' table, or by the classifier, which
// can add to the table but not take away.
func (s *Settings) Aborts(err error) bool {
	return mysqlerr.Classify(err).Aborts() || s.ClassOf(err).Aborts()
}
