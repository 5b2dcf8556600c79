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

// Ensures that no classifier, whatever it says of a lost COMMIT, has a change applied twice, an
// applied one called a failure or an absent one a success: what the row tells holds, and the rest
// is unknown (case 44).
func TestNoClassifierOverridesALostCommit(t *testing.T) {
	t.Parallel()
	classes := map[string]sqlcas.Class{
		"conflict": sqlcas.ClassConflict, "transient": sqlcas.ClassTransient,
		"permanent": sqlcas.ClassPermanent,
	}
	modes := []faultproxy.Mode{
		faultproxy.DropReply, faultproxy.DropRequest, faultproxy.DropRequestBoth,
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		p, cfg := r.proxied(t)
		db := open(t, dial(t, cfg))
		for name, class := range classes {
			for _, mode := range modes {
				for _, swaps := range []bool{true, false} {
					f := fault{mode: mode, commits: mode == faultproxy.DropReply}
					k := kind{swaps: swaps, inserts: true}
					l := &lane{rig: r, proxy: p, db: db, id: 1}
					memo := name + "/" + mode.String()
					o, err := l.callAs(t, f, k, memo, class)
					if err == nil {
						err = judge(f, k, o)
					}
					require.NoError(t, err, "%s, swaps: %v", memo, swaps)
					r.exec(t, "DELETE FROM ledger_entry")
				}
			}
		}
		r.assertUnlocked(t)
	})
}

// callAs is call with a classifier that says the same of every error.
func (l *lane) callAs(
	t *testing.T, f fault, k kind, memo string, class sqlcas.Class,
) (outcome, error) {
	t.Helper()
	before, _, err := l.state(t.Context(), memo)
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	l.proxy.FaultCommits(f.mode, 1)
	o.err = optimistic.UpdateTx(t.Context(), l.db, func(ctx context.Context, tx *sql.Tx) error {
		o.attempts++
		return k.run(ctx, tx, l.id, memo)
	}, sqlcas.WithClassifier(func(error) sqlcas.Class { return class }))
	version, entries, err := l.state(t.Context(), memo)
	o.applied = entries
	if k.swaps && version-before != entries {
		t.Errorf("%s: %d swaps and %d inserts of one transaction", memo, version-before, entries)
	}
	return o, err
}
