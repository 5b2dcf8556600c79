package hotrow

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that a process which ends, or does not keep to the protocol, ends the run with an error that says
// which one it was and what it said last; and that no other is left.
func TestAWorkerThatFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for role, want := range map[string]string{
			"dies":    "exit status 7: out of luck",
			"leaves":  "it ended without being told to",
			"babbles": "its answer is not understood: invalid character 'h'",
			"mumbles": "it answered without saying what all of its callers have done",
		} {
			s := short(t, server, "store")
			c := s.inProcesses(t, 2, "worker")
			s.Worker = func() *exec.Cmd {
				if len(c.all) == 1 {
					c.role = role
				}
				return c.worker()
			}
			r, err := Run(t.Context(), s)
			require.ErrorContains(t, err, "store, 6 callers: process 2: "+want)
			require.Zero(t, r)
			c.requireGone(2)
		}
	})
}

// Ensures that a command which is no program, and one that does not serve, are errors before anything is
// measured.
func TestAWorkerThatDoesNotServe(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		for _, command := range []string{"/nowhere/to/be/found", "true"} {
			s := short(t, server, "store")
			s.Processes, s.Worker = 2, func() *exec.Cmd { return exec.Command(command) }
			_, err := Run(t.Context(), s)
			require.ErrorContains(t, err, "process 1: ")
		}
	})
}

// Ensures that a worker that does not listen to the end of its orders is killed.
func TestAWorkerThatDoesNotEndIsKilled(t *testing.T) {
	t.Parallel()
	c := &cast{t: t, role: "asleep"}
	p, err := startProcess(t.Context(), 1, c.worker(), outfit{})
	require.NoError(t, err)
	p.dismissal = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.take(ctx, turn{})
	require.ErrorIs(t, err, context.Canceled)
	p.close()
	c.requireGone(1)
	require.Equal(t, -1, c.all[0].ProcessState.ExitCode(), "it was killed")
}
