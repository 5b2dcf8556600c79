//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that Ctrl-C, which reaches the processes that were started as well, ends a run soon, with the code of one
// that could not be done, and that its database is gone then.
func TestBenchIsInterrupted(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		cmd := play(t, s.RootDSN(), "bench", "--processes=2", "--duration=20s", "--callers=3", "--pool=4")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell starts it in a terminal
		var out bytes.Buffer
		cmd.Stdout = &out
		pipe, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		complaints := bufio.NewScanner(pipe)
		require.True(t, complaints.Scan())
		require.Contains(t, complaints.Text(), "this takes at least about 2m5")

		db := s.DB(t)
		require.Eventually(t, func() bool { return moved(db, databaseOf(t, db, cmd)) }, time.Minute, 10*time.Millisecond)
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
		var said strings.Builder
		for complaints.Scan() {
			said.WriteString(complaints.Text() + "\n")
		}
		_ = cmd.Wait()
		require.Equal(t, exitError, cmd.ProcessState.ExitCode(), said.String())
		require.Equal(t, "sqlcas: "+errInterrupted.Error()+"\n", said.String())
		require.Empty(t, out.String())
		require.Empty(t, databaseOf(t, db, cmd), "the database is left")
	})
}

// Ensures that Ctrl-C leaves a worker alone, since it reaches all processes at once and the one that has started it
// decides, and that a worker ends with its input.
func TestBenchWorkerEndsWithItsInput(t *testing.T) {
	t.Parallel()
	cmd := play(t, "", workerName)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	answers := bufio.NewScanner(out)
	for range 2 { // before and after
		_, err = in.Write([]byte("{}\n"))
		require.NoError(t, err)
		require.True(t, answers.Scan(), "an answer")
		require.Contains(t, answers.Text(), "error", "that nothing was asked for")
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	}
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

// databaseOf returns the name of the database that a run has made, and nothing if there is none.
func databaseOf(t *testing.T, db *sql.DB, cmd *exec.Cmd) string {
	var name sql.NullString
	require.NoError(t, db.QueryRowContext(context.WithoutCancel(t.Context()),
		"SELECT MAX(schema_name) FROM information_schema.schemata WHERE schema_name LIKE ?",
		fmt.Sprintf(`sqlcas\_bench\_%d\_%%`, cmd.Process.Pid)).Scan(&name))
	return name.String
}

// moved reports whether the callers are at the row.
func moved(db *sql.DB, database string) bool {
	var version int
	err := db.QueryRow("SELECT version FROM " + database + ".account WHERE id = 1").Scan(&version)
	return err == nil && version > 1
}
