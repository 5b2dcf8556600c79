package linear

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// store is what is tried.
type store interface {
	sqlcas.Updater[uint64, shop.Account]
	Get(ctx context.Context, key uint64) (shop.Account, error)
	UpdateIfVersion(
		ctx context.Context, key, version uint64, change func(*shop.Account) error, opts ...sqlcas.Option,
	) (shop.Account, error)
}

const (
	// patience is what a caller has who is in no hurry. A stalled connection uses it up.
	patience = 250 * time.Millisecond
	// haste is what a caller has at most who gives up at random.
	haste = 20 * time.Millisecond
	// dawdling is how long a closure takes that a batch does not wait for.
	dawdling = 60 * time.Millisecond
	// most is the most that a call adds or takes.
	most = 10
)

// caller makes calls one after the other.
type caller struct {
	id    int
	store store
	hasty bool // now and then
	rows  []uint64
	rng   *rand.Rand
	known map[uint64]uint64 // versions as last seen
}

// play makes n calls, and lets strike cause a fault now and then.
func (c *caller) play(ctx context.Context, h *history, n int, strike func(*rand.Rand, uint64)) {
	for i := range n {
		strike(c.rng, c.rows[0])
		in := c.want(nameOf(c.id*n + i))
		limit := patience
		if c.hasty && c.rng.IntN(6) == 0 {
			limit = time.Duration(c.rng.Int64N(int64(haste)))
		}
		dawdles := c.rng.IntN(150) == 0
		ctx, cancel := context.WithTimeout(ctx, limit)
		out := h.record(c.id, in, func() output {
			return c.call(ctx, h, in, dawdles)
		})
		cancel()
		if out.row.version > 0 {
			c.known[in.key] = out.row.version
		}
	}
}

// nameOf is the name of a history's n-th call.
func nameOf(n int) string {
	const digits = 36
	return strconv.FormatInt(int64(n+digits), digits)[:nameSize] // of two digits from the first one on
}

// want is what the caller does next: half of the time to the one row that everybody wants.
func (c *caller) want(name string) input {
	key := c.rows[0]
	if c.rng.IntN(2) == 0 {
		key = c.rows[c.rng.IntN(len(c.rows))]
	}
	in := input{key: key, name: name, delta: c.rng.Int64N(2*most+1) - most}
	switch n := c.rng.IntN(10); {
	case n < 2:
		in.method = get
	case n < 7 || c.known[key] == 0:
		in.method = add
	default:
		in.method, in.version = addIf, c.known[key]
	}
	return in
}

// refusal is a closure's error, with the row that it is about.
type refusal struct{ row state }

func (r *refusal) Error() string { return "the balance would be below 0, at " + r.row.String() }

// call makes one call and says what the caller was told.
func (c *caller) call(ctx context.Context, h *history, in input, dawdles bool) output {
	change := func(a *shop.Account) error {
		if dawdles {
			time.Sleep(dawdling)
		}
		if a.Balance+in.delta < 0 {
			return &refusal{stateOf(*a)}
		}
		a.Balance += in.delta
		a.Owner = signed(a.Owner, in.name)
		return nil
	}
	var row shop.Account
	var err error
	var report sqlcas.Report
	switch in.method {
	case get:
		row, err = c.store.Get(ctx, in.key)
	case add:
		row, err = c.store.Update(ctx, in.key, change, sqlcas.WithReport(&report))
	case addIf:
		row, err = c.store.UpdateIfVersion(ctx, in.key, in.version, change, sqlcas.WithReport(&report))
	}
	out, wrong := outputOf(in, row, err)
	if wrong {
		err = fmt.Errorf("%s: %w", describe(in, out), err)
	} else {
		err = nil
	}
	h.met(report.Batch, err)
	return out
}

// outputOf is what an answer means, by the contract of the Stores, and whether it is one that neither a
// fault nor another caller can be the reason of.
func outputOf(in input, row shop.Account, err error) (out output, wrong bool) {
	var r *refusal
	switch {
	case err == nil && in.method == get:
		return output{answer: seen, row: stateOf(row)}, false
	case err == nil:
		return output{answer: written, row: stateOf(row)}, false
	case in.method != get && errors.Is(err, sqlcas.ErrOutcomeUnknown):
		return output{answer: unknown}, false
	case errors.As(err, &r):
		return output{answer: refused, row: r.row}, false
	case errors.Is(err, sqlcas.ErrExhausted), errors.Is(err, context.DeadlineExceeded):
		return output{answer: failed}, false // the text also tells of the conflict that the last attempt has met
	case in.method == addIf && errors.Is(err, sqlcas.ErrConflict):
		return output{answer: conflicted, row: stateOf(row)}, false
	}
	for _, never := range []error{
		sqlcas.ErrConflict, sqlcas.ErrTooManyRows, sqlcas.ErrTxAborted, sqlcas.ErrNested, sqlcas.ErrInvalidArgument,
		sqlcas.ErrNoVersion, sqlcas.ErrVersionOverflow, sqlcas.ErrNoRowCount, sqlcas.ErrOutcomeUnknown, sql.ErrNoRows,
	} {
		wrong = wrong || errors.Is(err, never)
	}
	return output{answer: failed}, wrong
}

// stateOf is what the model knows of a row.
func stateOf(row shop.Account) state {
	return state{balance: row.Balance, version: row.Version, writers: row.Owner}
}
