package crashtest

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

const (
	clientsEnv = "SQLCAS_TEST_CRASHES"
	serversEnv = "SQLCAS_TEST_SERVER_CRASHES"
	// playEnv has this test binary play the client that a test kills.
	playEnv = "SQLCAS_TEST_PLAY"
	client  = "client"
)

// TestMain looks for goroutines that a crash has left, once all servers and pools are closed, or plays the client.
func TestMain(m *testing.M) {
	if os.Getenv(playEnv) == client {
		os.Exit(playClient())
	}
	goleak.VerifyTestMain(mysqltest.Main(m))
}

// times reads how often something is to be done, at least once.
func times(t *testing.T, env string, byDefault int) int {
	t.Helper()
	text := os.Getenv(env)
	if text == "" {
		return byDefault
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, env)
	require.Positive(t, n, env)
	return n
}

// tally is what is shown of a run on one server.
type tally struct {
	kills, ids   int
	calls        int // that were answered
	replays      int
	unheard      int // ids that were applied by a call whose caller has not heard of it
	unknown      int
	disconnected int // calls that failed for want of a connection
	wrong        int // what should not be, in answers and in the books
}

// show prints the tally, also of a run without faults.
func (c *tally) show(what string, s *mysqltest.Server) {
	mysqltest.Tables(func(w io.Writer) {
		fmt.Fprintf(w, "%s, %v: %d kills, %d ids, %d calls, %d replays (%d of them unheard of before), %d unknown, "+
			"%d without a connection, %d wrong\n", what, s, c.kills, c.ids, c.calls, c.replays, c.unheard, c.unknown,
			c.disconnected, c.wrong)
	})
}
