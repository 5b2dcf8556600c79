package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// txAttempts bounds the attempts of an UpdateTx of a history: one that has a stale row value from
// before conflicts each time.
const txAttempts = 3

// attempts is how many attempts the step's UpdateTx has.
func (s *historyStep) attempts() int {
	if s.once {
		return 1
	}
	return txAttempts
}

// transaction is an UpdateTx.
func (m *historyModel) transaction(s *historyStep) historyAnswer {
	a := historyAnswer{}
	for a.runs = 1; ; a.runs++ {
		tx := &modelTx{
			m: m, own: map[uint64]*shop.Account{}, locked: map[uint64]bool{},
			moved: map[uint64]historyMove{}, deleted: map[uint64]historyMove{},
		}
		var seen []string
		var err error
		broke := m.call(s, func() error {
			seen, err = s.run(context.Background(), tx, func(i historyIntruder) {
				if a.runs == 1 {
					a.intruder += tx.intrude(i)
				}
			}, func(context.Context, uint64) error { return faultOf("ErrNested") })
			return err
		})
		a.rows = strings.Join(seen, "; ")
		var f *fault
		switch {
		case broke == nil:
			tx.commit()
			a.class = classOK
			return a
		case !errors.As(err, &f):
			a.class = broke.class
			return a
		case f.again && a.runs < s.attempts():
			continue
		case f.again:
			f.class = "ErrExhausted+" + f.class
		}
		a.class, a.about, a.actual = f.class, f.about, f.actual
		return a
	}
}

// historyMove is what a transaction has done to a version.
type historyMove struct{ from, to uint64 }

// has says that the version is one that the transaction itself has left behind.
func (v historyMove) has(version uint64) bool { return v.from <= version && version < v.to }

// covers says that the version is one of those, the last included.
func (v historyMove) covers(version uint64) bool { return v.from <= version && version <= v.to }

// modelTx is a transaction of the model.
type modelTx struct {
	m        *historyModel
	snapshot map[uint64]shop.Account // of a repeatable transaction, from its first plain read on
	own      map[uint64]*shop.Account
	locked   map[uint64]bool
	moved    map[uint64]historyMove
	deleted  map[uint64]historyMove // and what had become of the row before
}

func (x *modelTx) intrude(i historyIntruder) string {
	if x.locked[i.keys[0]] {
		return keptOut
	}
	x.m.write(i)
	return letIn
}

func (x *modelTx) commit() {
	for k, row := range x.own {
		if row == nil {
			delete(x.m.rows, k)
			continue
		}
		x.m.rows[k] = *row
	}
}

// now is the row as it is, with the transaction's own changes.
func (x *modelTx) now(key uint64) (row shop.Account, there bool) {
	if own, changed := x.own[key]; changed {
		if own == nil {
			return row, false
		}
		return *own, true
	}
	row, there = x.m.rows[key]
	return row, there
}

// plain is a read without a lock.
func (x *modelTx) plain(key uint64) (row shop.Account, there bool) {
	if x.m.repeatable && x.snapshot == nil {
		x.snapshot = maps.Clone(x.m.rows)
	}
	if _, changed := x.own[key]; changed || !x.m.repeatable {
		return x.now(key)
	}
	row, there = x.snapshot[key]
	return row, there
}

func (x *modelTx) Get(_ context.Context, key uint64) (shop.Account, error) {
	read := x.plain
	if x.m.locking {
		x.locked[key] = true
		read = x.now
	}
	row, there := read(key)
	if !there {
		return shop.Account{}, faultGone(key)
	}
	return row, nil
}

func (x *modelTx) Update(_ context.Context, row *shop.Account) error {
	if f := usable(*row); f != nil {
		return f
	}
	if row.Version == brim {
		return faultOf("ErrVersionOverflow")
	}
	return x.swap(row, *row)
}

// swap writes to where the row value is still the row, and moves its version.
func (x *modelTx) swap(row *shop.Account, to shop.Account) error {
	if f := x.lost(*row); f != nil {
		return f
	}
	move := historyMove{row.Version, row.Version + 1}
	if before, again := x.moved[row.ID]; again {
		move.from = before.from
	}
	to.Version++
	row.Version++
	x.own[row.ID], x.locked[row.ID], x.moved[row.ID] = &to, true, move
	return nil
}

// lost says whether a swap or a deletion of the row value misses the row.
func (x *modelTx) lost(row shop.Account) *fault {
	now, there := x.now(row.ID)
	switch {
	case there && now.Version == row.Version:
		return nil
	case x.moved[row.ID].has(row.Version), !there && x.deleted[row.ID].covers(row.Version):
		return faultOf("ErrInvalidArgument")
	}
	return x.conflict(row, now)
}

func (x *modelTx) conflict(row, now shop.Account) *fault {
	return &fault{
		class: "ErrConflict", again: true, actual: now.Version,
		about: fmt.Sprintf("account %d: expected %d", row.ID, row.Version),
	}
}

func (x *modelTx) Touch(_ context.Context, row *shop.Account) error {
	if f := usable(*row); f != nil {
		return f
	}
	now, there := x.plain(row.ID)
	move := x.moved[row.ID]
	switch {
	case !there:
		return faultGone(row.ID)
	case now.Version == move.to && move.from <= row.Version && row.Version <= move.to:
		return nil // another copy stays at its version
	case now.Version != row.Version:
		return x.conflict(*row, now)
	case row.Version == brim:
		return faultOf("ErrVersionOverflow")
	}
	return x.swap(row, now)
}

func (x *modelTx) Check(_ context.Context, row shop.Account) error {
	if f := usable(row); f != nil {
		return f
	}
	x.locked[row.ID] = true
	now, there := x.now(row.ID)
	move := x.moved[row.ID]
	switch {
	case !there:
		return faultGone(row.ID)
	case now.Version == row.Version, move.has(row.Version) && now.Version == move.to:
		return nil
	}
	return x.conflict(row, now)
}

func (x *modelTx) Delete(_ context.Context, row shop.Account) error {
	if f := usable(row); f != nil {
		return f
	}
	if f := x.lost(row); f != nil {
		return f
	}
	move := historyMove{row.Version, row.Version}
	if before, again := x.moved[row.ID]; again {
		move.from = before.from
	}
	x.own[row.ID], x.locked[row.ID], x.deleted[row.ID] = nil, true, move
	return nil
}

// usable refuses a row value that was never read.
func usable(row shop.Account) *fault {
	if row.Version == 0 {
		return faultOf("ErrNoVersion")
	}
	return nil
}
