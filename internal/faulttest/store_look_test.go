package faulttest

import (
	"database/sql"
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// beforeLook returns a pool through a proxy, with something that happens when the lost session has been
// killed and before its row is looked at.
func (r *rig) beforeLook(t *testing.T, then func()) (*faultproxy.Proxy, *sql.DB) {
	t.Helper()
	p, cfg := r.proxied(t)
	return p, open(t, &script{
		Connector: dial(t, cfg),
		exec: func(query string, send func() (driver.Result, error)) (driver.Result, error) {
			res, err := send()
			if is(query, "KILL") {
				then()
			}
			return res, err
		},
	})
}

// Ensures that a row which somebody else has moved, or deleted and entered again, between the loss of a
// Store's write and the look at it, leaves the outcome unknown: it says nothing about who was
// where, and the write is not made again (case 44).
func TestStoreLooksAtARowThatOthersHaveChanged(t *testing.T) {
	t.Parallel()
	const (
		move   = "UPDATE account SET balance = balance - 100, version = version + 1 WHERE id = 1"
		remove = "DELETE FROM account WHERE id = 1"
		enter  = "INSERT INTO account (id, owner, balance) VALUES (1, 'another', 7)"
	)
	cases := map[string]struct {
		version int // of the row before the call
		others  []string
		balance int // after all of it, where our write was lost before it was carried out
	}{
		"moved":                    {firstVersion, []string{move}, opening - 100},
		"deleted":                  {firstVersion, []string{remove}, -1},
		"deleted and entered anew": {1, []string{remove, enter}, 7},
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for name, c := range cases {
			for _, mode := range []faultproxy.Mode{faultproxy.DropReply, faultproxy.DropRequest} {
				r, looks := newRig(t, s, 1), 0
				r.exec(t, "UPDATE account SET version = ?", c.version)
				p, db := r.beforeLook(t, func() {
					looks++
					for _, q := range c.others {
						r.exec(t, q)
					}
				})
				p.FaultStatements(isWrite, mode, 1)
				var report sqlcas.Report
				err := ways(db)[0].change(t.Context(), "ours", []uint64{1}, sqlcas.WithReport(&report))
				require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, "%s, %v", name, mode)
				require.Equal(t, 1, report.Attempts, "%s, %v: attempts", name, mode)
				if looks == 0 && mode == faultproxy.DropReply { // the session had ended before anybody could kill it
					continue
				}
				require.Equal(t, 1, looks, "%s, %v: KILLs", name, mode)
				want := c.balance
				if name == "moved" && mode == faultproxy.DropReply {
					want-- // ours was first
				}
				got := r.number(t, "SELECT COALESCE((SELECT balance FROM account WHERE id = 1), -1)")
				require.Equal(t, want, got, "%s, %v: balance", name, mode)
			}
		}
	})
}
