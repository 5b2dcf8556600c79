package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// beforeLookUp returns a pool through a proxy, with something that happens when the lost session is
// gone and before its row is looked up: the only moment at which another writer can come between
// the two. The look-up begins with a SET of its lock wait timeout.
func (r *rig) beforeLookUp(t *testing.T, then func()) (*faultproxy.Proxy, *sql.DB) {
	t.Helper()
	p, cfg := r.proxied(t)
	return p, open(t, &script{
		Connector: dial(t, cfg),
		exec: func(query string, send func() (driver.Result, error)) (driver.Result, error) {
			if is(query, "SET") {
				then()
			}
			return send()
		},
	})
}

// notUnique is a swap whose predicate may fit several rows.
const notUnique = "UPDATE account SET balance = balance - 1, version = version + 1 " +
	"WHERE owner = ? AND version = ?"

// Ensures that a row which another writer has moved between the loss of the COMMIT and the look-up
// leaves the outcome unknown: its new version says nothing about who moved it (case 44).
func TestLookUpAfterAnotherWriter(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		modes := []faultproxy.Mode{
			faultproxy.DropReply, faultproxy.DropRequest, faultproxy.DropRequestBoth,
		}
		for _, mode := range modes {
			r, moved := newRig(t, s, 1), 0
			p, db := r.beforeLookUp(t, func() {
				moved++
				r.exec(t, "UPDATE account SET balance = balance - 100, version = version + 1 "+
					"WHERE id = 1")
			})
			p.FaultCommits(mode, 1)
			err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				return take(ctx, tx, 1)
			})
			require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, mode)
			require.Equal(t, 1, moved, "look-ups")
			want := opening - 100
			if mode == faultproxy.DropReply {
				want--
			}
			got := r.number(t, "SELECT balance FROM account WHERE id = 1")
			require.Equal(t, want, got, "%v: the other's change, and ours where it was applied", mode)
		}
	})
}

// Ensures that a swap whose predicate does not name its row by a unique key is never resolved by a
// look-up: after the loss another row may satisfy it, and would call an applied change absent
// (case 44).
func TestLookUpNeedsAUniqueKey(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 2)
		r.exec(t, "UPDATE account SET owner = 'twin', version = id + 4")
		p, db := r.beforeLookUp(t, func() { // a second row that now satisfies the predicate
			r.exec(t, "INSERT INTO account (owner, balance, version) VALUES ('twin', 0, 6)")
		})
		p.FaultCommits(faultproxy.DropReply, 1)
		attempts := 0
		err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
			attempts++
			var version uint64
			row := tx.QueryRowContext(ctx, "SELECT version FROM account WHERE id = 2")
			if err := row.Scan(&version); err != nil {
				return err
			}
			res, err := tx.ExecContext(ctx, notUnique, "twin", version)
			if err != nil {
				return err
			}
			return sqlcas.One(res.RowsAffected())
		})
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.Equal(t, 1, attempts, "attempts")
		require.Equal(t, opening-1, r.number(t, "SELECT balance FROM account WHERE id = 2"))
	})
}

// Ensures that a swap which is not applied is not resolved either when its predicate is not
// unique, so that nothing is made of a guess (case 44).
func TestLookUpOfANonUniqueSwapThatIsAbsent(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		p, cfg := r.proxied(t)
		db := open(t, dial(t, cfg))
		p.FaultCommits(faultproxy.DropRequest, 1)
		err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
			res, err := tx.ExecContext(ctx, notUnique, "owner", firstVersion)
			if err != nil {
				return err
			}
			return sqlcas.One(res.RowsAffected())
		})
		require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
		require.Zero(t, r.swaps(t, 1))
		r.assertUnlocked(t)
	})
}

// Ensures that driver.ErrBadConn out of COMMIT is not retried blindly, whatever the driver means by
// it: carried out, it is unknown; not sent, it is found out by the row and made again, once
// (case 52).
func TestBadConnFromCommit(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, sent := range []bool{true, false} {
			r := newRig(t, s, 1)
			faults := 1
			db := open(t, &script{
				Connector: dial(t, r.cfg),
				exec: func(query string, send func() (driver.Result, error)) (driver.Result, error) {
					if !is(query, "COMMIT") || faults == 0 {
						return send()
					}
					faults--
					if sent {
						if _, err := send(); err != nil {
							return nil, err
						}
					}
					return nil, driver.ErrBadConn
				},
			})
			err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				return take(ctx, tx, 1)
			})
			unknown := errors.Is(err, sqlcas.ErrOutcomeUnknown)
			if unknown != sent || !unknown && err != nil {
				t.Errorf("COMMIT sent: %v: got error %v, want unknown %v", sent, err, sent)
			}
			if got := r.swaps(t, 1); got != 1 {
				t.Errorf("COMMIT sent: %v: applied %d times, want once", sent, got)
			}
			r.assertUnlocked(t)
		}
	})
}
