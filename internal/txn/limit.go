package txn

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// TooLongError says that a statement of a transaction waited longer for a lock than it was allowed to,
// and was ended. The transaction must be rolled back.
type TooLongError struct {
	Limit  time.Duration
	Holder *Holder // nil where the server does not tell
	Cause  error   // what the statement ended with; nil if it was served at the last moment
}

// Error names the limit.
func (e *TooLongError) Error() string {
	text := fmt.Sprintf("the lock was not free within %v", e.Limit)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns what the statement ended with.
func (e *TooLongError) Unwrap() error { return e.Cause }

// Limited runs a locking read of tx, and ends it after limit from another connection of db, by KILL QUERY.
// No server knows a limit of its own below a second, and MySQL none for a single statement. If the
// statement cannot be ended, its connection is closed.
func Limited(ctx context.Context, db *sql.DB, tx *sql.Tx, limit time.Duration, read func(context.Context) error) error {
	ident, err := identityOf(ctx, tx)
	if err != nil {
		return err
	}
	if !ident.known() {
		return limitedByContext(ctx, limit, read)
	}
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	wait, stop := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer stop()
	s := &sentry{db: db, ident: &ident, giveUp: cancel, asks: true}
	s.watch(wait)
	returned := false
	defer func() {
		if !returned { // a panic or Goexit in the table's code; stop would have the sentry act
			s.release()
		}
	}()
	err = read(own)
	returned = true
	killed, failure := s.release()
	if !killed && failure == nil {
		return err
	}
	if failure != nil {
		leave(ctx, db, ident)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// A read that was served at the last moment is refused as well: the KILL may still be on its way,
	// and must not meet the next statement.
	if failure != nil { // and not the end of own, which would pass for the caller's
		err = fmt.Errorf("its connection was closed, since it could not be ended: %v", failure)
	}
	return &TooLongError{Limit: limit, Holder: s.holder, Cause: err}
}

// limitedByContext is Limited where nothing can be killed: the driver is left to end the statement.
func limitedByContext(ctx context.Context, limit time.Duration, read func(context.Context) error) error {
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := read(own)
	if err != nil && own.Err() != nil && ctx.Err() == nil {
		return &TooLongError{Limit: limit}
	}
	return err
}

// leave has a session ended that was left with its locks, as soon as there is a connection to do so from:
// the pool may have had but the one that is being given back. A runner's transaction is ended by the runner.
func leave(ctx context.Context, db *sql.DB, ident identity) {
	for f := Enclosing(ctx); f != nil; f = f.outer {
		if f.ident.id == ident.id {
			return
		}
	}
	post(db, lateBound, func(ctx context.Context, conn *sql.Conn) error {
		return endSession(ctx, conn, ident)
	})
}

// identityOf returns the session of a transaction: from the harness that runs it, or from the server.
func identityOf(ctx context.Context, tx *sql.Tx) (identity, error) {
	for f := Enclosing(ctx); f != nil; f = f.outer {
		if f.tx == tx {
			return f.ident, nil
		}
	}
	ident, err := identityIn(ctx, tx, identityQuery)
	if mysqlerr.NotText(err) {
		ident, err = identityIn(ctx, tx, hostlessQuery) // an early session of its server then has no address to be known by
	}
	return ident, err
}

func identityIn(ctx context.Context, tx *sql.Tx, query string) (identity, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return noIdentity(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return identity{}, rows.Err()
	}
	var dest [identityColumns]any
	var refs [identityColumns]any
	for i := range dest {
		refs[i] = &dest[i]
	}
	if err := rows.Scan(refs[:]...); err != nil {
		return identity{}, err
	}
	return newIdentity(dest[:]), nil
}
