package sqlcas

import (
	"database/sql"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/settings"
)

// Option changes one setting of one call. Options are values without state: one can be kept in a
// variable and shared by any number of calls and goroutines. Where two set the same thing the
// later one wins; where two contradict each other the call returns ErrInvalidArgument, which names
// both, before any SQL. Only sqlcas's packages can make options.
type Option interface{ settings.Option }

func option(f func(*settings.Settings) error) Option { return settings.Func(f) }

// WithMaxAttempts ends the call with ErrExhausted after n attempts, the first included. The
// default is no limit: 100 callers who meet on one row have been seen to need 30 attempts, and
// time is the better bound (see WithMaxElapsed).
func WithMaxAttempts(n int) Option {
	return option(func(s *settings.Settings) error {
		if n < 1 {
			return invalid("WithMaxAttempts(%d): give at least 1, or leave the option out for no limit", n)
		}
		s.MaxAttempts = n
		return nil
	})
}

// WithMaxElapsed ends the call with ErrExhausted when the next attempt would start later than d
// after the first one did. The default is 30 s. Two attempts are always allowed, however long the
// first one took. An attempt under way is never cut short: that is what the context's deadline
// does.
func WithMaxElapsed(d time.Duration) Option {
	return option(func(s *settings.Settings) error {
		if d <= 0 {
			return invalid("WithMaxElapsed(%v): give a positive duration, or leave the option out for %v",
				d, settings.DefaultMaxElapsed)
		}
		s.MaxElapsed = d
		return nil
	})
}

// WithDelays sets the pauses between attempts: before retry n a random time between 0 and
// base * 2^(n-1), at most longest ("full jitter"). The defaults are 2 ms, about the time of one
// commit, and 250 ms. No transaction is open during a pause.
func WithDelays(base, longest time.Duration) Option {
	return option(func(s *settings.Settings) error {
		if base <= 0 || longest < base {
			return invalid("WithDelays(%v, %v): give a positive base and a longest delay that is not below it",
				base, longest)
		}
		if s.NewBackOff != nil {
			return invalid("WithDelays and WithBackOff both set the pauses: give one of them")
		}
		s.BaseDelay, s.MaxDelay, s.DelaysSet = base, longest, true
		return nil
	})
}

// WithBackOff takes the pauses from any backoff.BackOff. It is given a function because a BackOff
// has state: each call makes its own. The call ends with ErrExhausted when NextBackOff returns
// backoff.Stop. WithMaxAttempts and WithMaxElapsed still hold. It clashes with WithDelays.
func WithBackOff(newBackOff func() backoff.BackOff) Option {
	return option(func(s *settings.Settings) error {
		if newBackOff == nil {
			return invalid("WithBackOff(nil): give a function that makes a backoff.BackOff, or leave the option out")
		}
		if s.DelaysSet {
			return invalid("WithDelays and WithBackOff both set the pauses: give one of them")
		}
		s.NewBackOff = newBackOff
		return nil
	})
}

// WithCommitTimeout bounds how long RetryTx waits for the answer to its COMMIT, or to its ROLLBACK.
// The default is 5 s. A COMMIT that takes longer is a lost one: its session is killed and the
// outcome is looked up, which takes at most d once more, or 1 s if that is longer. The caller's
// context does not shorten this, since giving up on a COMMIT means not knowing. Retry refuses the
// option; to optimistic.Store it is the bound of finding out what became of a swap whose answer was lost.
func WithCommitTimeout(d time.Duration) Option {
	return option(func(s *settings.Settings) error {
		if d <= 0 {
			return invalid("WithCommitTimeout(%v): give a positive duration, or leave the option out for %v",
				d, settings.DefaultCommitTimeout)
		}
		s.CommitTimeout, s.CommitSet = d, true
		return nil
	})
}

// WithIsolation sets the isolation level of RetryTx's transactions. The default is the session's,
// which is REPEATABLE READ unless the server is set otherwise. Version-checked updates are safe
// under either that or READ COMMITTED, and not under READ UNCOMMITTED, which is refused. Retry refuses the
// option, and so does a RetryTx that joins the transaction of another; optimistic.Store.Update, Delete
// and UpdateIfVersion are one transaction with it.
func WithIsolation(level sql.IsolationLevel) Option {
	return option(func(s *settings.Settings) error {
		switch level {
		case sql.LevelDefault, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable:
		case sql.LevelReadUncommitted:
			return invalid("WithIsolation(read uncommitted): a version that is read and then rolled back may come " +
				"again for another state of the row, and an update is lost: use read committed")
		default:
			return invalid("WithIsolation(%d): there is read committed, repeatable read and serializable", int(level))
		}
		s.Isolation, s.IsolationSet = level, true
		return nil
	})
}

// WithObserver tells o what the call does. The default is nobody, at no cost.
func WithObserver(o Observer) Option {
	return option(func(s *settings.Settings) error {
		if o == nil {
			return invalid("WithObserver(nil): give an Observer, or leave the option out")
		}
		s.Observer = o
		return nil
	})
}

// WithReport fills r with the story of this one call, whether it succeeds or not. r is written
// when the call returns or panics, so that calls at the same time need one each. A call that is
// refused before its first attempt (ErrInvalidArgument, ErrNested) leaves it as it is.
func WithReport(r *Report) Option {
	return option(func(s *settings.Settings) error {
		if r == nil {
			return invalid("WithReport(nil): give a pointer to a Report, or leave the option out")
		}
		s.Report = r
		return nil
	})
}

// Class is what an error means for the attempt that met it.
type Class uint8

const (
	// ClassDefault leaves the decision to sqlcas's own table of MySQL's and MariaDB's errors.
	ClassDefault Class = iota
	// ClassConflict means that another writer was faster. The transaction is void; try again. From a
	// COMMIT it means that nothing was committed, as ClassTransient does.
	ClassConflict
	// ClassTransient means a deadlock or the like. The transaction is void; try again.
	ClassTransient
	// ClassPermanent means that trying again will not help. It does not forbid a COMMIT, and from a
	// COMMIT it leaves open whether that was carried out.
	ClassPermanent
)

// WithClassifier puts f in front of sqlcas's own table of errors, for databases other than MySQL
// and MariaDB and for servers with errors of their own. f sees errors as the driver gave them and
// as the closure wrapped them, and must be safe for concurrent use. It is not asked about what must
// not be repeated or committed whatever it says: lost connections, ended contexts and interrupted
// statements; and what the table says aborts a transaction does so.
func WithClassifier(f func(error) Class) Option {
	return option(func(s *settings.Settings) error {
		if f == nil {
			return invalid("WithClassifier(nil): give a function, or leave the option out")
		}
		s.Classify = func(err error) mysqlerr.Class {
			switch f(err) {
			case ClassConflict:
				return mysqlerr.Conflict
			case ClassTransient:
				return mysqlerr.Deadlock
			case ClassPermanent:
				return mysqlerr.Statement
			}
			return mysqlerr.Classify(err)
		}
		return nil
	})
}

// collect applies the options to the defaults.
func collect(opts []Option) (*settings.Settings, error) {
	if len(opts) == 1 {
		if r, ok := opts[0].(settings.Ready); ok {
			return r.Settings, nil
		}
	}
	s := settings.Default()
	for i, o := range opts {
		if o == nil {
			return nil, invalid("option %d is nil", i+1)
		}
		if err := o.Apply(&s); err != nil {
			return nil, err
		}
	}
	if s.Fingerprint != "" && s.OperationID == "" {
		return nil, invalid("WithFingerprint without WithOperationID: a fingerprint is kept with an id, give that as well")
	}
	if s.Lock != nil {
		return nil, invalid("%s is for a pessimistic.Store, which reads FOR UPDATE: leave it out here", s.Lock.Option)
	}
	return &s, nil
}
