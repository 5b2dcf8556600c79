package faulttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

const (
	// places is how many callers can sign a row: a character of its owner each.
	places = 64
	// unsigned stands in the place of a caller none of whose calls is in the row. The signs of calls follow
	// it: there are far more of them than a caller makes.
	unsigned = '一'
	// blankRolls makes all accounts such that nobody has signed them.
	blankRolls = "UPDATE account SET owner = REPEAT('一', 64)"
)

// call names one of a caller's calls, of which he makes one at a time, and numbers them from 1.
type call struct{ caller, number int }

// sign adds 1 to the row, and has its owner say which call has done so. A batch writes what the last closure has
// made of the row; whose changes are in it can be read there.
func (c call) sign(a *shop.Account) {
	roll := []rune(a.Owner)
	roll[c.caller] = unsigned + rune(c.number)
	a.Owner = string(roll)
	a.Balance++
}

// isIn reports whether it was the caller's last call to sign the row.
func (c call) isIn(a shop.Account) bool {
	return []rune(a.Owner)[c.caller] == unsigned+rune(c.number)
}

// signedSince returns the calls that have signed b and not a.
func signedSince(a, b shop.Account) []call {
	var calls []call
	before, after := []rune(a.Owner), []rune(b.Owner)
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			calls = append(calls, call{i, int(after[i] - unsigned)})
		}
	}
	return calls
}

// answer is what a call was told.
type answer struct {
	call
	err   error
	row   shop.Account
	batch int // how many were written together
}

// past is what a row went through: the state that each UPDATE of it has left, by version, after the one it began
// with.
type past struct {
	states  []shop.Account
	foreign map[uint64]bool // the versions that were not written by a Store
}

// The remembered have a row for each state of an account, made by the transaction that made the state.
const (
	remembered = `CREATE TABLE remembered (account_id BIGINT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL,
		owner VARCHAR(64) NOT NULL, balance BIGINT NOT NULL, PRIMARY KEY (account_id, version)
		) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`
	remembering = `CREATE TRIGGER account_remembered AFTER UPDATE ON account FOR EACH ROW
		INSERT INTO remembered VALUES (NEW.id, NEW.version, NEW.owner, NEW.balance)`
)

// remember has all states of accounts kept from now on. Nobody has signed an account yet.
func (r *rig) remember(t *testing.T) {
	t.Helper()
	r.exec(t, blankRolls)
	r.exec(t, remembered)
	r.exec(t, remembering)
}

// past returns what an account went through since it was as in first.
func (r *rig) past(t *testing.T, first shop.Account, foreign map[uint64]bool) past {
	t.Helper()
	p := past{[]shop.Account{first}, foreign}
	rows, err := r.truth.QueryContext(t.Context(), "SELECT account_id, owner, balance, version FROM remembered "+
		"WHERE account_id = ? AND version > ? ORDER BY version", first.ID, first.Version)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var a shop.Account
		require.NoError(t, rows.Scan(&a.ID, &a.Owner, &a.Balance, &a.Version))
		p.states = append(p.states, a)
	}
	require.NoError(t, rows.Err())
	return p
}

// at returns the index of the state with this version.
func (p past) at(version uint64) (int, bool) {
	return slices.BinarySearchFunc(p.states, version, func(a shop.Account, v uint64) int {
		return cmp.Compare(a.Version, v)
	})
}

// leads says why b cannot be what has become of a by one write, or by a part of one.
func (p past) leads(a, b shop.Account) error {
	steps, calls := b.Version-a.Version, signedSince(a, b)
	show := func(what string) error { return fmt.Errorf("%s: %+v, then %+v", what, a, b) }
	switch {
	case a == b:
		return nil
	case steps == 0:
		return show("one version of two states")
	case p.foreign[b.Version] && (steps != 1 || len(calls) > 0):
		return show("a write past the Store is not by itself")
	case p.foreign[b.Version]:
		return nil
	case uint64(len(calls)) != steps:
		return show(fmt.Sprintf("%d calls in %d versions", len(calls), steps))
	case b.Balance-a.Balance != int64(steps):
		return show(fmt.Sprintf("added %d in %d versions", b.Balance-a.Balance, steps))
	}
	for _, c := range calls {
		if c.number <= int([]rune(a.Owner)[c.caller]-unsigned) {
			return show(fmt.Sprintf("call %d of caller %d comes late or again", c.number, c.caller))
		}
	}
	return nil
}

// applied returns the calls that were, by the index of the state in which they are.
func (p past) applied() map[call]int {
	applied := map[call]int{}
	for i, state := range p.states[1:] {
		for _, c := range signedSince(p.states[i], state) {
			applied[c] = i + 1
		}
	}
	return applied
}

// contradictions says what is not true of what calls were told, and of what else was seen of the row.
//
// Who was told success is in the row once, at his own version and in the row he was given, and in a batch of as
// many as he was told. Who was told an error is not in it; with ErrOutcomeUnknown he may be. And
// all states, those in between that only callers have been given among them, make one chain in which
// each version is one call's.
func (p past) contradictions(answers []answer, seen ...shop.Account) []string {
	var wrong []string
	applied, versions := p.applied(), map[uint64]call{}
	for _, a := range answers {
		at, is := applied[a.call]
		other, twice := versions[a.row.Version]
		switch {
		case errors.Is(a.err, sqlcas.ErrOutcomeUnknown):
			continue
		case a.err != nil && is:
			in := p.states[at].Version
			wrong = append(wrong, fmt.Sprintf("%v is in version %d, and was told: %v", a.call, in, a.err))
			continue
		case a.err != nil:
			continue
		case !is:
			wrong = append(wrong, fmt.Sprintf("%v was told success, and is not in the row", a.call))
			continue
		case twice:
			wrong = append(wrong, fmt.Sprintf("%v and %v were told version %d", a.call, other, a.row.Version))
		}
		versions[a.row.Version] = a.call
		seen = append(seen, a.row)
		if err := p.places(a, at); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	states := slices.Concat(p.states, seen)
	slices.SortStableFunc(states, func(a, b shop.Account) int { return cmp.Compare(a.Version, b.Version) })
	for i, state := range states[1:] {
		if err := p.leads(states[i], state); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	return wrong
}

// places says what is wrong with the place in its batch that a success was told.
func (p past) places(a answer, at int) error {
	before, after := p.states[at-1], p.states[at]
	size := int(after.Version - before.Version)
	if size == 1 {
		size = 0 // that is how a call is told that it was alone
	}
	switch {
	case !a.isIn(a.row):
		return fmt.Errorf("%v was given a row that is not its own: %+v", a.call, a.row)
	case a.row.Version <= before.Version || a.row.Version > after.Version:
		return fmt.Errorf("%v was told version %d, and is in the batch from %d to %d",
			a.call, a.row.Version, before.Version, after.Version)
	case a.batch != size:
		return fmt.Errorf("%v was told a batch of %d, and it was one of %d", a.call, a.batch, size)
	}
	return nil
}

// assertTrue fails the test for each contradiction, and says the first of them.
func assertTrue(t *testing.T, what string, wrong []string) {
	t.Helper()
	if len(wrong) > 0 {
		some := strings.Join(wrong[:min(len(wrong), 5)], "\n")
		t.Errorf("%s: %d contradictions, among them\n%s", what, len(wrong), some)
	}
}

// overwrite moves an account's version by one past the Store, as another process does, and returns the new one.
func (r *rig) overwrite(ctx context.Context, id uint64) (uint64, error) {
	tx, err := r.truth.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }()
	q := shop.New(tx)
	a, err := q.GetAccountForUpdate(ctx, id)
	if err != nil {
		return 0, err
	}
	err = sqlcas.One(q.CreditBalance(ctx, shop.CreditBalanceParams{Balance: a.Balance, ID: id, Version: a.Version}))
	if err != nil {
		return 0, err
	}
	return a.Version + 1, tx.Commit()
}
