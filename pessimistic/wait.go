package pessimistic

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/txn"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// NoWait has a call fail at once with ErrLocked if somebody else holds the row's lock. The default is
// to wait as long as the session's innodb_lock_wait_timeout says, by default 50 s, and to try again.
// Given to NewStore it also holds for LockAll and for the Get and Check of In; their writes wait, for a
// row that was not locked before. Of NoWait, SkipLocked and Wait the last one
// given counts.
func NoWait() sqlcas.Option { return waiting("NoWait", sqlcas.LockNoWait, 0) }

// SkipLocked is NoWait by another clause: FOR UPDATE SKIP LOCKED, by which the server acts as if a
// locked row did not exist. A row that is there is still ErrLocked, not ErrGone: it is looked at once more.
func SkipLocked() sqlcas.Option { return waiting("SkipLocked", sqlcas.LockSkipLocked, 0) }

// Wait has a call fail with ErrLocked if the row's lock is not free within d; a call that locks several
// rows waits d for each. After d the waiting read is ended by KILL QUERY from another connection of
// the pool, so that d may be any positive time. The error is a *sqlcas.LockedError with the Holder, if
// the user may see it: that takes PROCESS on MariaDB, and on MySQL the right to read
// performance_schema.
func Wait(d time.Duration) sqlcas.Option {
	if d <= 0 {
		return settings.Func(func(*settings.Settings) error {
			return versioned.Invalid("Wait(%v): give a positive duration, or NoWait", d)
		})
	}
	return waiting("Wait", sqlcas.LockWaits, d)
}

func waiting(name string, wait sqlcas.LockWait, limit time.Duration) sqlcas.Option {
	return settings.Func(func(s *settings.Settings) error {
		s.Lock = &settings.Lock{Option: name, Wait: uint8(wait), Limit: limit}
		return nil
	})
}

// lockOf returns how a call waits for locks.
func lockOf(s *settings.Settings) settings.Lock {
	if s.Lock == nil {
		return settings.Lock{}
	}
	return *s.Lock
}

// read locks and reads the row.
func (s *Store[K, R]) read(ctx context.Context, tx *sql.Tx, key K, lock settings.Lock) (row R, err error) {
	t, wait := &s.base.Table, sqlcas.LockWait(lock.Wait)
	if lock.Limit > 0 {
		err = txn.Limited(ctx, s.base.DB, tx, lock.Limit, func(ctx context.Context) (err error) {
			row, err = t.GetForUpdate(ctx, tx, key, wait)
			return err
		})
	} else {
		row, err = t.GetForUpdate(ctx, tx, key, wait)
	}
	if err == nil {
		return versioned.Read(t, key, row, nil)
	}
	var zero R
	if tooLong := (*txn.TooLongError)(nil); errors.As(err, &tooLong) {
		return zero, s.locked(key, tooLong, (*sqlcas.Holder)(tooLong.Holder))
	}
	class := mysqlerr.Classify(err)
	switch {
	case class == mysqlerr.LockNoWait, class == mysqlerr.LockTimeout && wait != sqlcas.LockWaits:
		return zero, s.locked(key, err, nil) // MariaDB's NOWAIT is the same number as a wait that ran out
	case wait == sqlcas.LockSkipLocked && errors.Is(err, sql.ErrNoRows):
		if _, err = t.Get(ctx, tx, key); err == nil {
			return zero, s.locked(key, nil, nil)
		}
	}
	return versioned.Read(t, key, zero, err)
}

func (s *Store[K, R]) locked(key K, cause error, holder *sqlcas.Holder) error {
	return &sqlcas.LockedError{Table: s.base.Table.Schema.Name, Key: key, Holder: holder, Cause: cause}
}
