package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that sessions are known by their numbers and addresses also while another is at a statement with bytes that
// are no text, when MySQL cannot read its list of sessions as a table. The servers are this test's own, as other tests
// read that list as well.
func TestSessionsBesideBytes(t *testing.T) {
	t.Parallel()
	mysqltest.EachOwn(t, mysqltest.Options{}, func(t *testing.T, s *mysqltest.Server) {
		db := s.DB(t)
		busy, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = db.ExecContext(busy, "SELECT SLEEP(20), ? = 'a'", []byte("\xff\xfe no text"))
		}()
		defer func() {
			stop()
			<-ended
		}()
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		running := func() bool {
			var n int
			err := conn.QueryRowContext(t.Context(),
				"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'").Scan(&n)
			return n > 0 || mysqlerr.NotText(err)
		}
		require.Eventually(t, running, 5*time.Second, 2*time.Millisecond)

		var ident identity
		require.NoError(t, conn.Raw(func(dc any) (err error) {
			ident, err = askIdentity(t.Context(), dc.(driver.Conn))
			return err
		}))
		require.True(t, ident.known())
		require.True(t, ident.autocommit)
		if ident.id < earlySessions {
			require.NotEmpty(t, ident.host)
		}
		there, err := sessionThere(t.Context(), conn, ident)
		require.NoError(t, err)
		require.True(t, there)
		_, err = hostOf(t.Context(), conn, 1<<31)
		require.ErrorIs(t, err, sql.ErrNoRows)
		tx, err := conn.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		defer func() { _ = tx.Rollback() }()
		same, err := identityOf(t.Context(), tx)
		require.NoError(t, err)
		require.Equal(t, ident.id, same.id)
	})
}
