package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// playEnv makes this test binary play sqlcas itself, and so the processes that it starts.
const playEnv = "SQLCAS_TEST_PLAY_SQLCAS"

// play returns a command that is sqlcas, with the server of a DSN in its environment.
func play(t *testing.T, dsn string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), playEnv+"=1", dsnEnv+"="+dsn)
	return cmd
}

// Ensures that the command starts processes which measure with it, on a server that it starts itself, and that an
// address in the environment does not keep it from that.
func TestBenchInProcessesOnAThrowawayServer(t *testing.T) {
	t.Parallel()
	installed := mysqltest.Installed(t.Context())
	if testing.Short() || len(installed) == 0 {
		t.Skip("no server is installed; run `make servers`")
	}
	last := installed[len(installed)-1]
	cmd := play(t, "root@tcp(127.0.0.1:1)/", slices.Concat([]string{
		"bench", "--throwaway", last, "--processes=2", "--json=-",
	}, quick, []string{"--duration=1s"})...) // processes must start within a tenth of a turn
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	require.NoError(t, cmd.Run(), complaints.String())
	report := decoded(t, out.String())
	require.True(t, report.Server.Durable, "%+v", report.Server)
	require.Equal(t, 2, report.Processes)
	require.True(t, strings.HasPrefix(report.Command, "sqlcas bench --throwaway="+last), report.Command)
}
