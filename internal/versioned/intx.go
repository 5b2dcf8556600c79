package versioned

import (
	"context"
	"database/sql"
	"errors"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/txn"
)

// Reader reads a row in a transaction, in a Store's way.
type Reader[K comparable, R any] = func(ctx context.Context, tx *sql.Tx, key K) (R, error)

// InTx works on rows in a transaction of the caller's.
type InTx[K comparable, R any] struct {
	table *sqlcas.Table[K, R]
	tx    *sql.Tx
	read  Reader[K, R]
	base  *Base[K, R]
	lock  Reader[K, R]
	bad   error
}

// NewInTx makes an InTx; lock reads a row and locks it. What is wrong is the error of every call.
func NewInTx[K comparable, R any](b *Base[K, R], tx *sql.Tx, read, lock Reader[K, R]) InTx[K, R] {
	bad := b.Bad()
	if bad == nil && tx == nil {
		bad = Invalid("In: the *sql.Tx is nil: give the one of the closure of UpdateTx")
	}
	return InTx[K, R]{table: &b.Table, tx: tx, read: read, base: b, lock: lock, bad: bad}
}

// Get reads a row in the Store's way.
func (i *InTx[K, R]) Get(ctx context.Context, key K) (R, error) {
	if err := i.usable(ctx); err != nil {
		var zero R
		return zero, err
	}
	return i.read(ctx, i.tx, key)
}

// Update swaps the row value, and moves its version.
func (i *InTx[K, R]) Update(ctx context.Context, row *R) error {
	if err := i.check(ctx, row); err != nil {
		return err
	}
	key, version := i.table.Key(*row), i.table.Version(*row)
	if err := room(i.table, key, version); err != nil {
		return err
	}
	written, err := Swap(ctx, i.tx, i.table, *row, 1)
	if err != nil {
		return i.ownConflict(ctx, key, version, err)
	}
	*row = written
	i.moves().Note(i.id(key), version, i.table.Version(written))
	return nil
}

// Touch moves the version of a row without changing it, once in the transaction.
func (i *InTx[K, R]) Touch(ctx context.Context, row *R) error {
	if err := i.check(ctx, row); err != nil {
		return err
	}
	key, version := i.table.Key(*row), i.table.Version(*row)
	now, err := i.table.Get(ctx, i.tx, key)
	if now, err = Read(i.table, key, now, err); err != nil {
		return err
	}
	m, moved := i.moves().Of(i.id(key))
	if moved && !m.Deleted && i.table.Version(now) == m.To && m.From <= version && version <= m.To {
		return nil // another copy stays at its version: it may be older than what was written
	}
	if i.table.Version(now) != version {
		return i.ownConflict(ctx, key, version, Conflict(i.table, key, version, i.table.Version(now)))
	}
	if err := room(i.table, key, version); err != nil {
		return err
	}
	if now, err = Swap(ctx, i.tx, i.table, now, 1); err != nil {
		return i.ownConflict(ctx, key, version, err)
	}
	i.table.SetVersion(row, i.table.Version(now))
	i.moves().Note(i.id(key), version, i.table.Version(now))
	return nil
}

// Check locks the row until the transaction ends, if it is as it was read.
func (i *InTx[K, R]) Check(ctx context.Context, row R) error {
	if err := i.check(ctx, &row); err != nil {
		return err
	}
	if i.table.GetForUpdate == nil {
		return Invalid("Check: the Table %s has no GetForUpdate, and without a lock a row does not stay as it is: use Touch",
			i.table.Schema.Name)
	}
	key, version := i.table.Key(row), i.table.Version(row)
	now, err := i.lock(ctx, i.tx, key)
	if err != nil {
		return err
	}
	actual := i.table.Version(now)
	if m, moved := i.moves().Of(i.id(key)); moved && actual == m.To && m.From <= version && version <= m.To {
		return nil
	}
	if actual != version {
		return i.ownConflict(ctx, key, version, Conflict(i.table, key, version, actual))
	}
	return nil
}

// Delete deletes the row if it is still at its version.
func (i *InTx[K, R]) Delete(ctx context.Context, row R) error {
	if err := i.check(ctx, &row); err != nil {
		return err
	}
	if i.table.Delete == nil {
		return NoDelete(i.table)
	}
	key, version := i.table.Key(row), i.table.Version(row)
	if err := Delete(ctx, i.tx, i.table, row); err != nil {
		return i.ownConflict(ctx, key, version, err)
	}
	i.moves().NoteDeleted(i.id(key), version)
	return nil
}

// NoDelete is the error of a table whose rows are never deleted.
func NoDelete[K comparable, R any](t *sqlcas.Table[K, R]) error {
	return Invalid("Delete: the Table %s has no Delete", t.Schema.Name)
}

// check refuses what no statement can be made of.
func (i *InTx[K, R]) check(ctx context.Context, row *R) error {
	if err := i.usable(ctx); err != nil {
		return err
	}
	if row == nil {
		return Invalid("the row of %s is nil", i.table.Schema.Name)
	}
	return Versioned(i.table, *row)
}

// usable refuses a transaction that is none, or that is of another pool.
func (i *InTx[K, R]) usable(ctx context.Context) error {
	if i.bad != nil {
		return i.bad
	}
	if ctx == nil {
		return Invalid("In: the context is nil: give the one of the closure of UpdateTx")
	}
	return i.base.Owns(ctx, "In", i.tx)
}

// ownConflict tells a conflict of the transaction with itself, which no rerun mends, from one with
// another writer, which the closure owes its harness.
func (i *InTx[K, R]) ownConflict(ctx context.Context, key K, version uint64, err error) error {
	m, moved := i.moves().Of(i.id(key))
	if !errors.Is(err, sqlcas.ErrConflict) {
		return err
	}
	if !moved || version < m.From || version > m.To {
		txn.Owe(ctx, i.tx, err)
		return err
	}
	name := i.table.Schema.Name
	switch {
	case m.Deleted:
		return Invalid("this transaction has itself deleted %s %v", name, key)
	case version == m.To:
		return Invalid("this transaction has moved %s %v to version %d, and it is no longer there: a rollback to a "+
			"savepoint has undone it, or a statement of the closure's own has moved the row on; read it again", name, key, version)
	}
	return Invalid("this transaction has itself moved %s %v from version %d to %d, and this is another copy of "+
		"the row, at %d: go on with the one that was given to Update or Touch", name, key, m.From, m.To, version)
}

func (i *InTx[K, R]) moves() *txn.Moves { return txn.MovesOf(i.tx) }

func (i *InTx[K, R]) id(key K) txn.RowID { return txn.RowID{Table: i.table.Schema.Name, Key: key} }
