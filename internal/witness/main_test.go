package witness

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// TestMain fails the package if a goroutine outlives its tests. Nothing is ignored.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errAbort is the error that the tests' verdict says aborts; every other ends its statement only.
var errAbort = errors.New("aborted by the server")

func verdict(_ string, err error) bool { return errors.Is(err, errAbort) }

// begin opens a session on a connection of the script.
func begin(t *testing.T, s *scriptdb.Script) *Session {
	t.Helper()
	dc, err := s.Connect(t.Context())
	require.NoError(t, err)
	sess, err := Begin(t.Context(), dc, s.Driver(), &sql.TxOptions{}, time.Second, verdict)
	require.NoError(t, err)
	t.Cleanup(func() {
		sess.Rollback()
		sess.Close()
	})
	return sess
}

// replying is a script that gives one answer to the query named.
func replying(query string, reply scriptdb.Reply, err error) *scriptdb.Script {
	return scriptdb.New(replyTo(query, reply, err))
}

func replyTo(query string, reply scriptdb.Reply, err error) scriptdb.Handler {
	return func(_ context.Context, _ *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == query {
			return reply, err
		}
		return scriptdb.Reply{Affected: 1}, nil
	}
}

// one is a result set of one row and one column.
func one() scriptdb.Reply {
	return scriptdb.Reply{Columns: []string{"n"}, Rows: [][]driver.Value{{int64(1)}}}
}
