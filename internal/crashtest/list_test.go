package crashtest

import (
	"context"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that a lost COMMIT is told by its id also while another session is at a statement with bytes that are no
// text, as any INSERT of an operation is: MySQL cannot show its list of sessions then (3854), and the lost session is
// one to be found. The servers are this test's own, as other tests read that list as well.
func TestLostCommitBesideBytesInTheListOfSessions(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		b := newBooks(t, s)
		const insert = "INSERT INTO sqlcas_operation (id, target, fingerprint, attempt, created_at) " +
			"VALUES ('held', '', '', ?, UTC_TIMESTAMP(6))"
		bytes := []byte("\xb8\x33\x29\x59\x90no text\x00\x00\x00\x00")
		holder, err := b.truth.BeginTx(context.WithoutCancel(t.Context()), nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = holder.Rollback() })
		_, err = holder.ExecContext(t.Context(), insert, bytes)
		require.NoError(t, err)
		waited := make(chan error, 1)
		go func() {
			_, err := b.truth.ExecContext(t.Context(), insert, bytes)
			waited <- err
		}()
		await(t, "the second INSERT waits for the first", func() bool {
			var n int
			err := b.truth.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.PROCESSLIST "+
				"WHERE DB = DATABASE() AND INFO LIKE 'INSERT INTO sqlcas_operation%'").Scan(&n)
			return n == 1 || unreadable(err)
		})

		p, err := faultproxy.Start(b.cfg.Addr)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		cfg := b.cfg.Clone()
		cfg.Addr = p.Addr()
		l := newLedger(open(t, dial(t, cfg)))
		for _, mode := range []faultproxy.Mode{faultproxy.DropReply, faultproxy.DropRequest} {
			p.FaultCommits(mode, 1)
			report, err := pay(t.Context(), l, newPayment(int(mode), 0))
			require.NoError(t, err, mode)
			require.False(t, report.Replayed, mode)
		}
		require.NoError(t, holder.Rollback())
		require.NoError(t, <-waited)
		a, err := l.Get(t.Context(), hot)
		require.NoError(t, err)
		require.EqualValues(t, firstVersion+2, a.Version, "each payment is made once")
	})
}

// unreadable reports whether MySQL could not show its list of sessions because one of them is at a statement with
// bytes that are no text.
func unreadable(err error) bool {
	var said *mysql.MySQLError
	return errors.As(err, &said) && said.Number == 3854
}
