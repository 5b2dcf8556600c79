package faulttest

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// A seat is a row whose key moves. A chair hangs on it by a foreign key, which moves it along.
const (
	seat = `CREATE TABLE seat (pos INT NOT NULL PRIMARY KEY, who VARCHAR(9) NOT NULL UNIQUE,
		taken INT NOT NULL DEFAULT 0, version BIGINT UNSIGNED NOT NULL DEFAULT 1) ENGINE=InnoDB`
	chair = `CREATE TABLE chair (pos INT NOT NULL PRIMARY KEY, n INT NOT NULL DEFAULT 0,
		version BIGINT UNSIGNED NOT NULL DEFAULT 1,
		FOREIGN KEY (pos) REFERENCES seat (pos) ON UPDATE CASCADE) ENGINE=InnoDB`
)

// swapOne runs a swap that is written by hand.
func swapOne(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return sqlcas.One(res.RowsAffected())
}

// swapAll runs swaps without parameters in their order.
func swapAll(queries ...string) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		for _, q := range queries {
			if err := swapOne(ctx, tx, q); err != nil {
				return err
			}
		}
		return nil
	}
}

// requireUnknownOnce makes a call whose COMMIT is carried out and not answered, and checks that it
// is called unknown, and that nothing is done again. What it does beside its swaps, here a note,
// would be there twice if the look-up took the transaction for one that was not applied.
func (r *rig) requireUnknownOnce(
	t *testing.T, name string, p *faultproxy.Proxy, db *sql.DB,
	swaps func(context.Context, *sql.Tx) error,
) {
	t.Helper()
	p.FaultCommits(faultproxy.DropReply, 1)
	attempts := 0
	err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
		attempts++
		if attempts == 1 {
			if err := swaps(ctx, tx); err != nil {
				return err
			}
		}
		return note(ctx, tx, 1, -1, name)
	})
	notes := r.number(t, "SELECT COUNT(*) FROM ledger_entry WHERE memo = ?", name)
	require.Equal(t, 1, notes, "%s: times applied, after %d attempts and %v", name, attempts, err)
	require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, name)
	require.Equal(t, 1, attempts, "%s: attempts", name)
}

// Ensures that a swap is not looked up whose own key, or that of another row, the transaction
// assigns: the row that satisfies its predicate afterwards may be another one, and would call an
// applied change absent (case 44).
func TestLookUpOfAKeyThatMoves(t *testing.T) {
	t.Parallel()
	const (
		own     = "UPDATE seat SET pos = 0, version = version + 1 WHERE pos = 1 AND version = 4"
		spelled = "UPDATE `seat` SET `seat`.`POS` = 0, version = version + 1 " +
			"WHERE pos = 1 AND version = 4"
		follow = "UPDATE seat SET pos = 1, version = version + 1 WHERE pos = 2 AND version = 3"

		stays  = "UPDATE seat SET taken = 1, version = version + 1 WHERE pos = 1 AND version = 4"
		leave  = "UPDATE seat SET pos = 0, version = version + 1 WHERE who = 'ann' AND version = 5"
		enter  = "UPDATE seat SET pos = 1, version = version + 1 WHERE who = 'bob' AND version = 3"
		remove = "UPDATE seat SET pos = 0 WHERE who = 'ann'"
		put    = "UPDATE seat SET pos = 1, version = version + 1 WHERE who = 'bob'"
	)
	cases := map[string]struct {
		swaps    []string
		newcomer bool // another writer takes the seat before the look-up
	}{
		"the swap's own key":              {[]string{own}, true},
		"its own key, spelled anew":       {[]string{spelled}, true},
		"the own keys of two":             {[]string{own, follow}, false},
		"a key that other swaps assign":   {[]string{stays, leave, enter}, false},
		"a key that other UPDATEs assign": {[]string{stays, remove, put}, false},
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		r.exec(t, seat)
		for name, c := range cases {
			r.exec(t, "DELETE FROM seat")
			r.exec(t, "INSERT INTO seat (pos, who, version) VALUES (1, 'ann', 4), (2, 'bob', 3)")
			p, db := r.beforeLookUp(t, func() {
				if c.newcomer {
					r.exec(t, "INSERT INTO seat (pos, who, version) VALUES (1, 'cid', 4)")
				}
			})
			r.requireUnknownOnce(t, name, p, db, swapAll(c.swaps...))
		}
	})
}

// Ensures the same where a foreign key moves the key, though no swap of its table assigns it.
func TestLookUpOfAKeyThatAForeignKeyMoves(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		r.exec(t, seat)
		r.exec(t, chair)
		r.exec(t, "INSERT INTO seat (pos, who, version) VALUES (1, 'ann', 5), (2, 'bob', 4)")
		r.exec(t, "INSERT INTO chair (pos, version) VALUES (1, 5), (2, 5)")
		p, db := r.beforeLookUp(t, func() {})
		r.requireUnknownOnce(t, "cascade", p, db, swapAll(
			"UPDATE chair SET n = n + 1, version = version + 1 WHERE pos = 1 AND version = 5",
			"UPDATE seat SET pos = 0, version = version + 1 WHERE pos = 1 AND version = 5",
			"UPDATE seat SET pos = 1, version = version + 1 WHERE pos = 2 AND version = 4",
		))
	})
}

// Ensures that a swap from version 1 is not looked up: a row that another writer has replaced since
// starts there as well, and would call an applied change absent (case 44).
func TestLookUpOfARowThatIsEnteredAnew(t *testing.T) {
	t.Parallel()
	const remove, enter = "DELETE FROM seat", "INSERT INTO seat (pos, who) VALUES (1, 'ann')"
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		r.exec(t, seat)
		for name, again := range map[string][]string{
			"replaced":          {"REPLACE INTO seat (pos, who) VALUES (1, 'bob')"},
			"deleted, inserted": {remove, enter},
		} {
			r.exec(t, remove)
			r.exec(t, enter)
			p, db := r.beforeLookUp(t, func() {
				for _, q := range again {
					r.exec(t, q)
				}
			})
			r.requireUnknownOnce(t, name, p, db, swapAll(
				"UPDATE seat SET taken = 1, version = version + 1 WHERE pos = 1 AND version = 1"))
		}
	})
}
