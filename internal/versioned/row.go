package versioned

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sqlcas/sqlcas"
)

// Read judges what a Get or GetForUpdate of the table returned for key: no row is gone, and a row
// without a version is refused.
func Read[K comparable, R any](t *sqlcas.Table[K, R], key K, row R, err error) (R, error) {
	var zero R
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return zero, &sqlcas.GoneError{Table: t.Schema.Name, Key: key}
	case err != nil && nullVersion(err, t.Schema.Version):
		return zero, fmt.Errorf("%w: %s of %s %v is NULL: set it to 1 where it is, and make the column "+
			"NOT NULL DEFAULT 1: %w", sqlcas.ErrNoVersion, t.Schema.Version, t.Schema.Name, key, err)
	case err != nil:
		return zero, err
	}
	if err := Versioned(t, row); err != nil {
		return zero, err
	}
	return row, nil
}

// nullVersion recognises database/sql's complaint about a NULL for a version; there is no type that
// tells. It decides about a text only.
func nullVersion(err error, column string) bool {
	text := err.Error()
	return strings.Contains(text, "converting NULL to") && strings.Contains(text, `name "`+column+`"`)
}

// Versioned refuses a row value that has no version.
func Versioned[K comparable, R any](t *sqlcas.Table[K, R], row R) error {
	if t.Version(row) > 0 || t.Schema.Zero {
		return nil
	}
	return fmt.Errorf("%w: %s of %s %v is 0, as it is in a row value that was never read, or where the column "+
		"has DEFAULT 0: start versions at 1, or set Zero in the table's Schema",
		sqlcas.ErrNoVersion, t.Schema.Version, t.Schema.Name, t.Key(row))
}

// Change runs the closure on a row that was read, and returns the row as it is to be written. A
// closure's error is final, whatever it wraps.
func Change[K comparable, R any](t *sqlcas.Table[K, R], row R, change func(*R) error) (R, error) {
	key, version := t.Key(row), t.Version(row)
	if err := change(&row); err != nil {
		return row, sqlcas.Permanent(err)
	}
	return row, kept(t, row, key, version)
}

// kept refuses a row whose key or version the closure has changed, or whose version cannot move.
func kept[K comparable, R any](t *sqlcas.Table[K, R], row R, key K, version uint64) error {
	switch {
	case t.Key(row) != key:
		return Invalid("the closure changed the key of %s %v (%s) to %v: a row keeps its key; delete it and insert another",
			t.Schema.Name, key, strings.Join(t.Schema.Key, ", "), t.Key(row))
	case t.Version(row) != version:
		return Invalid("the closure changed %s of %s %v from %d to %d: leave it alone, the swap moves it",
			t.Schema.Version, t.Schema.Name, key, version, t.Version(row))
	}
	return room(t, key, version)
}

// room refuses a version that cannot move. Beyond its maximum a server without a strict sql_mode
// leaves it where it is and reports success.
func room[K comparable, R any](t *sqlcas.Table[K, R], key K, version uint64) error {
	highest := highestOf(t)
	if version < highest {
		return nil
	}
	if version > highest {
		return fmt.Errorf("%w: %s of %s %v is %d, above the Max of the Table's Schema, %d: is it negative in the table?",
			sqlcas.ErrVersionOverflow, t.Schema.Version, t.Schema.Name, key, version, highest)
	}
	return fmt.Errorf("%w: %s of %s %v is %d, the highest that the column holds: make it BIGINT UNSIGNED",
		sqlcas.ErrVersionOverflow, t.Schema.Version, t.Schema.Name, key, version)
}

// highestOf is the highest version that the column holds.
func highestOf[K comparable, R any](t *sqlcas.Table[K, R]) uint64 {
	return cmp.Or(t.Schema.Max, math.MaxUint64)
}

// Conflict says that a row was expected at a version, and seen at another; 0 if nobody looked.
func Conflict[K comparable, R any](t *sqlcas.Table[K, R], key K, expected, actual uint64) *sqlcas.ConflictError {
	return &sqlcas.ConflictError{Table: t.Schema.Name, Key: key, Expected: expected, Actual: actual}
}

// Swap writes the row if it is still at its version, moves that by steps, and returns the row as it then is in
// the table. Of a row that is not, it returns a *sqlcas.ConflictError.
func Swap[K comparable, R any](
	ctx context.Context, db sqlcas.DBTX, t *sqlcas.Table[K, R], row R, steps uint64,
) (R, error) {
	var zero R
	key, version := t.Key(row), t.Version(row)
	watched := Watch(db)
	affected, err := t.Swap(ctx, watched, row, steps)
	if err == nil && !watched.agrees(affected) {
		err = watched.disagrees("Swap", t.Schema.Name, key, affected)
	}
	if err := one(t, key, version, affected, err); err != nil {
		return zero, err
	}
	if t.Computed {
		row, err = t.Get(ctx, db, key)
		return Read(t, key, row, err)
	}
	t.SetVersion(&row, version+steps)
	return row, nil
}

// Delete deletes the row if it is still at its version.
func Delete[K comparable, R any](ctx context.Context, db sqlcas.DBTX, t *sqlcas.Table[K, R], row R) error {
	watched := Watch(db)
	affected, err := t.Delete(ctx, watched, row)
	if err == nil && !watched.agrees(affected) {
		err = watched.disagrees("Delete", t.Schema.Name, t.Key(row), affected)
	}
	return one(t, t.Key(row), t.Version(row), affected, err)
}

// one is sqlcas.One with a conflict that names the row.
func one[K comparable, R any](t *sqlcas.Table[K, R], key K, version uint64, affected int64, err error) error {
	if err == nil && affected == 0 {
		return Conflict(t, key, version, 0)
	}
	if err = sqlcas.One(affected, err); errors.Is(err, sqlcas.ErrTooManyRows) {
		return fmt.Errorf("%s %v: %w", t.Schema.Name, key, err)
	}
	return err
}

// Tells reports whether a row that is found at the version again must not have been swapped from it:
// no row that is entered anew starts there, and it is not where a version stops.
func Tells[K comparable, R any](t *sqlcas.Table[K, R], version uint64) bool {
	highest := highestOf(t)
	return version > 1 && version < highest/2
}
