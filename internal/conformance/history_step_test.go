package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// historyCall is what a step of a history does: it calls a method of the Store, opens a transaction
// of its own, or has somebody else write by hand.
type historyCall string

const (
	callGet             historyCall = "Get"
	callUpdate          historyCall = "Update"
	callUpdateIfVersion historyCall = "UpdateIfVersion"
	callUpdateAll       historyCall = "UpdateAll"
	callDelete          historyCall = "Delete"
	callGetOrCreate     historyCall = "GetOrCreate"
	callTx              historyCall = "UpdateTx"
	callByHand          historyCall = "by hand"
)

// historyAct is what a closure does to the row or rows that it is given.
type historyAct string

const (
	actAdds           historyAct = "adds"
	actKeeps          historyAct = "keeps all as it is"
	actRefuses        historyAct = "refuses"
	actConflicts      historyAct = "refuses, with ErrConflict inside" // of another table, say
	actMisses         historyAct = "refuses, with sql.ErrNoRows inside"
	actDeadlocks      historyAct = "refuses, with a 1213 of another database"
	actChangesKey     historyAct = "changes the key"
	actChangesVersion historyAct = "changes the version"
	actPanics         historyAct = "panics"
	actRemoves        historyAct = "removes an entry" // these three: UpdateAll only
	actReplaces       historyAct = "replaces an entry"
	actInvents        historyAct = "adds an entry"
)

// refusals are the closures' own errors. They must come back as the very same values.
var refusals = map[historyAct]error{
	actRefuses:   errClosure,
	actConflicts: fmt.Errorf("the customer: %w", sqlcas.ErrConflict),
	actMisses:    fmt.Errorf("the customer: %w", sql.ErrNoRows),
	actDeadlocks: &mysql.MySQLError{Number: 1213, Message: "a deadlock elsewhere"},
}

// historyPanic is what a closure panics with.
const historyPanic = "a panic of the closure"

// historyIntruder is somebody who writes by hand, in one transaction, while a closure runs: between
// the read and the swap. He comes at the first run only, and does not wait for locks.
type historyIntruder struct {
	does string // "bumps", "deletes" or "enters anew"; empty: nobody comes
	keys []uint64
}

// historyOp is one line of the closure of an UpdateTx.
type historyOp struct {
	does string
	key  uint64
	n    int64
}

// historyStep is one step with all that it needs to be done again.
type historyStep struct {
	call     historyCall
	keys     []uint64        // of UpdateAll any number; else one
	version  uint64          // of UpdateIfVersion, and of Delete's row value
	act      historyAct      // of the closure; of UpdateTx how it ends
	n        int64           // that the closure adds
	intruder historyIntruder // also what is done by hand
	once     bool            // WithMaxAttempts(1)

	script  []historyOp             // of UpdateTx
	outside map[uint64]shop.Account // row values that it has from before
}

func (s *historyStep) key() uint64 { return s.keys[0] }

// change is the closure of the calls that change one row.
func (s *historyStep) change(row *shop.Account) error {
	switch s.act {
	case actAdds:
		row.Balance += s.n
		row.Owner = fmt.Sprintf("owner %d", s.n)
	case actChangesKey:
		row.ID++
	case actChangesVersion:
		row.Version++
	case actPanics:
		row.Balance = -1
		panic(historyPanic)
	}
	if err := refusals[s.act]; err != nil {
		row.Balance = -1
		return err
	}
	return nil
}

// changeAll is the closure of UpdateAll. Whatever it does, it does to the lowest or highest key and
// leaves others alone, whose versions must move all the same.
func (s *historyStep) changeAll(rows map[uint64]*shop.Account) error {
	keys := slices.Sorted(maps.Keys(rows))
	low, high := keys[0], keys[len(keys)-1]
	switch s.act {
	case actAdds:
		rows[low].Balance += s.n
		rows[high].Balance -= s.n / 2
		return nil
	case actRemoves:
		delete(rows, high)
		return nil
	case actReplaces:
		other := *rows[low]
		rows[low] = &other
		return nil
	case actInvents:
		rows[high+1] = &shop.Account{ID: high + 1, Version: 1}
		return nil
	}
	return s.change(rows[high])
}

// historyTx is what a Store is in a transaction: both Stores' TxStore, and the model's.
type historyTx interface {
	Get(ctx context.Context, key uint64) (shop.Account, error)
	Update(ctx context.Context, row *shop.Account) error
	Touch(ctx context.Context, row *shop.Account) error
	Check(ctx context.Context, row shop.Account) error
	Delete(ctx context.Context, row shop.Account) error
}

// Lines of a script. Those with "an old copy" use the row value as it was before the transaction
// changed it; the others go on with what they have.
const (
	opGet       = "Get"
	opUpdate    = "Update"
	opUpdateOld = "Update of an old copy"
	opTouch     = "Touch"
	opTouchOld  = "Touch of an old copy"
	opCheck     = "Check"
	opCheckOld  = "Check of an old copy"
	opDelete    = "Delete"
	opDeleteOld = "Delete of an old copy"
	opIntruder  = "an intruder bumps"
	opNested    = "one of the Store's own methods, on"
)

// run is the closure of an UpdateTx. It writes down what it sees.
func (s *historyStep) run(
	ctx context.Context, tx historyTx, intrude func(historyIntruder), nested func(context.Context, uint64) error,
) (seen []string, err error) {
	hands, olds := maps.Clone(s.outside), maps.Clone(s.outside)
	for _, op := range s.script {
		hand, old := hands[op.key], olds[op.key]
		switch op.does {
		case opGet:
			if hand, err = tx.Get(ctx, op.key); err == nil {
				old = hand
			}
		case opUpdate:
			hand.Balance += op.n
			err = tx.Update(ctx, &hand)
		case opUpdateOld:
			err = tx.Update(ctx, &old)
		case opTouch:
			err = tx.Touch(ctx, &hand)
		case opTouchOld:
			err = tx.Touch(ctx, &old)
		case opCheck:
			err = tx.Check(ctx, hand)
		case opCheckOld:
			err = tx.Check(ctx, old)
		case opDelete:
			err = tx.Delete(ctx, hand)
		case opDeleteOld:
			err = tx.Delete(ctx, old)
		case opIntruder:
			intrude(historyIntruder{does: "bumps", keys: []uint64{op.key}})
		case opNested:
			err = nested(ctx, op.key)
		}
		seen = append(seen, fmt.Sprintf("%s: %s, %s", op.does, showRow(hand), showRow(old)))
		if err != nil {
			return seen, err
		}
		hands[op.key], olds[op.key] = hand, old
	}
	if s.act == actPanics {
		panic(historyPanic)
	}
	return seen, refusals[s.act]
}

func showRow(a shop.Account) string {
	return fmt.Sprintf("{%d %q %d v%d}", a.ID, a.Owner, a.Balance, a.Version)
}

// String shows the step as a person would have to do it again.
func (s *historyStep) String() string {
	var b strings.Builder
	if s.call == callByHand {
		return fmt.Sprintf("somebody %s %d by hand", s.intruder.does, s.key())
	}
	fmt.Fprintf(&b, "%s(%d)", s.call, s.keys)
	if s.call == callUpdateIfVersion || s.call == callDelete {
		fmt.Fprintf(&b, " at version %d", s.version)
	}
	if s.once {
		b.WriteString(", one attempt")
	}
	for _, op := range s.script {
		fmt.Fprintf(&b, "; %s %d", op.does, op.key)
		if op.does == opUpdate {
			fmt.Fprintf(&b, " by %d", op.n)
		}
	}
	if s.act != "" {
		fmt.Fprintf(&b, "; closure %s", s.act)
	}
	if s.act == actAdds {
		fmt.Fprintf(&b, " %d", s.n)
	}
	if s.intruder.does != "" {
		fmt.Fprintf(&b, "; meanwhile somebody %s %d", s.intruder.does, s.intruder.keys)
	}
	if len(s.outside) > 0 {
		b.WriteString("; has from before:")
		for _, k := range slices.Sorted(maps.Keys(s.outside)) {
			b.WriteString(" " + showRow(s.outside[k]))
		}
	}
	return b.String()
}
