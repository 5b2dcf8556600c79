package faulttest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

// tenants are two schemas of one server with equal tables and equal rows, so that a look-up in the
// wrong one finds what it looks for.
type tenants struct {
	home, away *rig
	proxy      *faultproxy.Proxy
	db         *sql.DB // of one connection, whose default is home at first
}

func newTenants(t *testing.T, s *mysqltest.Server) *tenants {
	t.Helper()
	two := &tenants{home: newRig(t, s, 1), away: newRig(t, s, 1)}
	p, cfg := two.home.proxied(t)
	two.proxy, two.db = p, open(t, dial(t, cfg))
	two.db.SetMaxOpenConns(1)
	return two
}

// use makes away the default.
func (two *tenants) use(ctx context.Context, db sqlcas.DBTX) error {
	_, err := db.ExecContext(ctx, "USE "+two.away.cfg.DBName)
	return err
}

// Ensures that a row is never looked up in a schema that its swap did not write to, be the default
// changed by the closure or by an earlier one (case 44).
func TestLookUpAfterUse(t *testing.T) {
	t.Parallel()
	ways := map[string]struct {
		before func(context.Context, *tenants) error // on the pool, before the call
		swap   func(context.Context, *tenants, *sql.Tx) error
	}{
		"before the swap": {swap: func(ctx context.Context, two *tenants, tx *sql.Tx) error {
			if err := two.use(ctx, tx); err != nil {
				return err
			}
			return take(ctx, tx, 1)
		}},
		"by an earlier call": {before: func(ctx context.Context, two *tenants) error {
			return optimistic.UpdateTx(ctx, two.db, func(ctx context.Context, tx *sql.Tx) error {
				return two.use(ctx, tx)
			})
		}},
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for name, way := range ways {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				two := newTenants(t, s)
				if way.before != nil {
					require.NoError(t, way.before(t.Context(), two))
				}
				two.proxy.FaultCommits(faultproxy.DropReply, 1)
				attempts := 0
				err := optimistic.UpdateTx(t.Context(), two.db, func(ctx context.Context, tx *sql.Tx) error {
					attempts++
					if way.swap != nil {
						return way.swap(ctx, two, tx)
					}
					return take(ctx, tx, 1)
				})
				home, away := two.home.swaps(t, 1), two.away.swaps(t, 1)
				require.Equal(t, 1, home+away, "applied: in home %d, in away %d: %v", home, away, err)
				require.Equal(t, 1, away, "applied where the default was")
				require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown)
				require.Equal(t, 1, attempts, "attempts")
			})
		}
	})
}

// turns is a connector that hands over to the next one at each connection; the last one stays.
type turns struct {
	driver.Connector
	rest []driver.Connector
}

// Connect takes the next one's turn. The pool asks from one goroutine at a time here.
func (c *turns) Connect(ctx context.Context) (driver.Conn, error) {
	inner := c.Connector
	if len(c.rest) > 0 {
		c.Connector, c.rest = c.rest[0], c.rest[1:]
	}
	return inner.Connect(ctx)
}

// Ensures that a look-up on a connection with another default schema is made in the schema of the
// lost session: there it finds out what was not applied, and never takes another tenant's equal row
// for its own (case 44).
func TestLookUpOnAConnectionOfAnotherSchema(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for mode, applied := range map[faultproxy.Mode]bool{
			faultproxy.DropReply: true, faultproxy.DropRequest: false,
		} {
			two := newTenants(t, s)
			cfg := two.home.cfg.Clone()
			cfg.Addr, cfg.DBName = two.proxy.Addr(), two.away.cfg.DBName
			back := two.home.cfg.Clone()
			back.Addr = two.proxy.Addr()
			db := open(t, &turns{dial(t, cfg), []driver.Connector{dial(t, back), dial(t, cfg)}})
			if !applied { // the wrong row tells the contrary
				two.home.exec(t, "UPDATE account SET version = version + 1 WHERE id = 1")
			}
			two.proxy.FaultCommits(mode, 1)
			attempts := 0
			err := optimistic.UpdateTx(t.Context(), db, func(ctx context.Context, tx *sql.Tx) error {
				attempts++
				return take(ctx, tx, 1)
			})
			require.Equal(t, 1, two.away.swaps(t, 1), "%v: applied: %v", mode, err)
			if applied {
				require.ErrorIs(t, err, sqlcas.ErrOutcomeUnknown, mode)
				require.Equal(t, 1, attempts, mode)
				require.Zero(t, two.home.swaps(t, 1), "%v: the other tenant's row", mode)
				continue
			}
			require.NoError(t, err, mode)
			require.Equal(t, 2, attempts, mode)
		}
	})
}
