package conformance

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/pessimistic"
)

// historyStore is what both Stores can do.
type historyStore interface {
	Get(ctx context.Context, key uint64) (shop.Account, error)
	sqlcas.Updater[uint64, shop.Account]
	UpdateIfVersion(
		ctx context.Context, key, version uint64, change func(*shop.Account) error, opts ...sqlcas.Option,
	) (shop.Account, error)
	UpdateAll(
		ctx context.Context, keys []uint64, change func(map[uint64]*shop.Account) error, opts ...sqlcas.Option,
	) (map[uint64]shop.Account, error)
	Delete(ctx context.Context, row shop.Account, opts ...sqlcas.Option) error

	in(tx *sql.Tx) historyTx
	getOrCreate(ctx context.Context, key uint64, create historyCreate) (shop.Account, error)
}

// historyCreate is GetOrCreate's closure.
type historyCreate = func(ctx context.Context, db sqlcas.DBTX) error

type optimisticHistory struct {
	*optimistic.Store[uint64, shop.Account]
	db *sql.DB
}

func (o optimisticHistory) in(tx *sql.Tx) historyTx { return o.In(tx) }

// getOrCreate does by hand what only the other Store does, so that both have the same rows after it.
func (o optimisticHistory) getOrCreate(
	ctx context.Context, key uint64, create historyCreate,
) (shop.Account, error) {
	row, err := o.Get(ctx, key)
	if !errors.Is(err, sqlcas.ErrGone) {
		return row, err
	}
	if err := create(ctx, o.db); err != nil && number(err) != 1062 {
		return row, err
	}
	return o.Get(ctx, key)
}

type pessimisticHistory struct {
	*pessimistic.Store[uint64, shop.Account]
}

func (p pessimisticHistory) in(tx *sql.Tx) historyTx { return p.In(tx) }

func (p pessimisticHistory) getOrCreate(
	ctx context.Context, key uint64, create historyCreate,
) (shop.Account, error) {
	return p.GetOrCreate(ctx, key, create)
}

// historyPlayer does the steps of a history on a Store.
type historyPlayer struct {
	e     *env
	store historyStore

	step   *historyStep
	answer historyAnswer
	broken error // what went wrong beside the Store
}

// do does a step and says what its caller got.
func (p *historyPlayer) do(ctx context.Context, s *historyStep) historyAnswer {
	p.step, p.answer = s, historyAnswer{}
	err, panicked := p.call(ctx)
	p.answer.class, p.answer.about = classify(err, refusals[s.act]), about(err)
	if p.answer.class == classOwn {
		p.answer.about = ""
	}
	if panicked {
		p.answer.class = classPanic
	}
	var conflict *sqlcas.ConflictError
	if s.call == callTx && errors.As(err, &conflict) {
		p.answer.actual = conflict.Actual
		p.answer.about, _, _ = strings.Cut(p.answer.about, ", actual")
	}
	return p.answer
}

// call makes the call, and says whether the closure's panic came out of it.
func (p *historyPlayer) call(ctx context.Context) (err error, panicked bool) {
	defer func() {
		switch r := recover(); r {
		case nil:
		case historyPanic:
			panicked = true
		default:
			panic(r)
		}
	}()
	s := p.step
	var opts []sqlcas.Option
	if s.once {
		opts = append(opts, sqlcas.WithMaxAttempts(1))
	}
	var row shop.Account
	var rows map[uint64]shop.Account
	switch s.call {
	case callGet:
		row, err = p.store.Get(ctx, s.key())
	case callUpdate:
		row, err = p.store.Update(ctx, s.key(), p.change, opts...)
	case callUpdateIfVersion:
		row, err = p.store.UpdateIfVersion(ctx, s.key(), s.version, p.change, opts...)
	case callUpdateAll:
		rows, err = p.store.UpdateAll(ctx, s.keys, func(rows map[uint64]*shop.Account) error {
			p.began()
			return s.changeAll(rows)
		}, opts...)
		p.answer.rows = showRows(rows)
	case callDelete:
		err = p.store.Delete(ctx, shop.Account{ID: s.key(), Version: s.version}, opts...)
	case callGetOrCreate:
		row, err = p.store.getOrCreate(ctx, s.key(), p.create)
	case callTx:
		err = p.transaction(ctx)
	case callByHand:
		p.intrude(s.intruder)
	}
	if row != (shop.Account{}) {
		p.answer.rows = showRow(row)
	}
	return err, false
}

// began counts a run of the closure, and lets the intruder try.
func (p *historyPlayer) began() {
	if p.answer.runs++; p.answer.runs == 1 && p.step.intruder.does != "" {
		p.intrude(p.step.intruder)
	}
}

func (p *historyPlayer) change(row *shop.Account) error {
	p.began()
	return p.step.change(row)
}

const enterAccount = "INSERT INTO account (id, owner, balance, version) VALUES (?, ?, ?, ?)"

// create is GetOrCreate's closure.
func (p *historyPlayer) create(ctx context.Context, db sqlcas.DBTX) error {
	p.began()
	if err := p.step.change(&shop.Account{}); err != nil {
		return err
	}
	row := entered(p.step.key(), p.step.n)
	_, err := db.ExecContext(ctx, enterAccount, row.ID, row.Owner, row.Balance, row.Version)
	return err
}

func (p *historyPlayer) transaction(ctx context.Context) error {
	return optimistic.UpdateTx(ctx, p.e.db, func(ctx context.Context, tx *sql.Tx) error {
		p.answer.runs++
		p.answer.rows = ""
		seen, err := p.step.run(ctx, p.store.in(tx), func(i historyIntruder) {
			if p.answer.runs == 1 {
				p.intrude(i)
			}
		}, p.nested)
		p.answer.rows = strings.Join(seen, "; ")
		return err
	}, sqlcas.WithMaxAttempts(p.step.attempts()))
}

// nested calls one of the Store's own methods, with the context of the closure of an UpdateTx.
func (p *historyPlayer) nested(ctx context.Context, key uint64) (err error) {
	switch key % 4 {
	case 0:
		_, err = p.store.Get(ctx, key)
	case 1:
		_, err = p.store.Update(ctx, key, p.step.change)
	case 2:
		_, err = p.store.UpdateAll(ctx, []uint64{key}, p.step.changeAll)
	case 3:
		err = p.store.Delete(ctx, shop.Account{ID: key, Version: 1})
	}
	return err
}

// intrude writes by hand if it can lock the rows at once.
func (p *historyPlayer) intrude(i historyIntruder) {
	came, err := p.write(i)
	p.answer.intruder += came
	if err != nil && p.broken == nil {
		p.broken = err
	}
}

func (p *historyPlayer) write(i historyIntruder) (came string, err error) {
	ctx := context.Background()
	tx, err := p.e.other.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback() }()
	for _, k := range i.keys {
		var id uint64
		err := tx.QueryRowContext(ctx, "SELECT id FROM account WHERE id = ? FOR UPDATE NOWAIT", k).Scan(&id)
		if n := number(err); n == 1205 || n == 3572 {
			return keptOut, nil
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", err
		}
		if err := writeByHand(ctx, tx, i.does, k); err != nil {
			return "", err
		}
	}
	return letIn, tx.Commit()
}

func writeByHand(ctx context.Context, tx *sql.Tx, does string, key uint64) (err error) {
	if does == "bumps" {
		_, err = tx.ExecContext(ctx,
			"UPDATE account SET balance = balance + ?, version = version + 1 WHERE id = ?", rivals, key)
		return err
	}
	if _, err = tx.ExecContext(ctx, "DELETE FROM account WHERE id = ?", key); err != nil || does == "deletes" {
		return err
	}
	row := entered(key, 7)
	_, err = tx.ExecContext(ctx, enterAccount, row.ID, row.Owner, row.Balance, row.Version)
	return err
}
