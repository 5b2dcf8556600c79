package optimistic

import (
	"context"
	"errors"

	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/txn"
	"github.com/sqlcas/sqlcas/internal/versioned"
)

// operations are those that a batch is to enter, in the order in which they were applied.
type operations struct {
	all  []operation.Operation
	byID map[string]operation.Operation
}

// add notes that a member's operation, if he has one, was applied.
func (o *operations) add(op *operation.Operation) {
	if op == nil {
		return
	}
	if o.byID == nil {
		o.byID = map[string]operation.Operation{}
	}
	o.all = append(o.all, *op)
	o.byID[op.ID] = *op
}

// rule returns what becomes of an operation beside those that were applied, as versioned.Ruled does.
func (o *operations) rule(op *operation.Operation) error {
	if op == nil {
		return nil
	}
	before, ok := o.byID[op.ID]
	if !ok {
		return nil
	}
	return versioned.Ruled(operation.Finding{Applied: true, Mismatch: operation.Compare(*op, before)})
}

// lookUp looks for the operations of all who are members by now, in the transaction in which the row was read. Those who
// come while the turns go round are not looked for: if one of theirs has been applied before, entering it says so.
func (b *batch[K, R]) lookUp(ctx context.Context, db txn.DBTX) error {
	if !b.operations {
		return nil
	}
	b.try = operation.NewAttempt()
	var ops []operation.Operation
	var whose []*member[K, R]
	for _, m := range b.members {
		if m.swap.op != nil {
			ops, whose = append(ops, *m.swap.op), append(whose, m)
		}
	}
	found, err := operation.Find(ctx, db, ops...)
	if err != nil {
		return err
	}
	b.now = b.base
	applied := false
	for i, m := range whose {
		m.found, m.lookedUp = found[i], true
		applied = applied || found[i].Applied
	}
	if !applied || b.locks {
		return nil
	}
	// Under READ COMMITTED an operation may have been applied between the two reads, and the row is to show it.
	b.now, err = present(b.table.Get(ctx, db, b.line.key))
	return err
}

// writeMore writes what belongs to the changes that were accepted: their entries in a journal, and their operations.
func (b *batch[K, R]) writeMore(ctx context.Context, db txn.DBTX) error {
	if b.record != nil {
		var emitted [][]any
		for _, m := range b.members {
			if m.verdict == accepted {
				emitted = append(emitted, m.swap.emitted...)
			}
		}
		if err := b.record(ctx, db, emitted); err != nil {
			return err
		}
	}
	if len(b.applied.all) == 0 {
		return nil
	}
	err := operation.Insert(ctx, db, b.try, b.applied.all...)
	var other *operation.TakenError
	b.taken = errors.As(err, &other)
	return err
}

// Resolver tells by the operations' ids.
func (b *batch[K, R]) Resolver() func(context.Context, txn.DBTX) (bool, error) {
	if !b.operations {
		return nil
	}
	return func(ctx context.Context, db txn.DBTX) (bool, error) {
		return resolve(b.try, b.applied.all)(ctx, db)
	}
}
