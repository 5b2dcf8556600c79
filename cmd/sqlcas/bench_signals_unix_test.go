//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// brief are flags of a run that takes long enough for a signal to come in between.
var brief = []string{"--rounds=1", "--duration=600ms", "--strategies=for-update", "--callers=2", "--pool=4"}

// Ensures that a run goes on when nobody reads its complaints any more, as in `sqlcas bench 2>&1 | true`, and when
// the terminal is closed under nohup, and that it leaves no database.
func TestBenchOutlivesItsReaders(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		inner := play(t, s.RootDSN(), append([]string{"bench"}, brief...)...)
		nohup := []string{"-c", `trap '' HUP; exec "$0" "$@"`}
		cmd := exec.CommandContext(t.Context(), "sh", append(nohup, inner.Args...)...)
		cmd.Env = inner.Env
		gone, complaints, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, gone.Close())
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, complaints
		require.NoError(t, cmd.Start())
		require.NoError(t, complaints.Close())
		db := s.DB(t)
		require.Eventually(t, func() bool { return moved(db, databaseOf(t, db, cmd)) }, time.Minute, 5*time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
		require.NoError(t, cmd.Wait())
		require.Contains(t, out.String(), "for-update")
		require.Empty(t, databaseOf(t, db, cmd), "the database is left")

		cmd = play(t, s.RootDSN(), append([]string{"bench"}, quick...)...)
		gone, complaints, err = os.Pipe()
		require.NoError(t, err)
		require.NoError(t, gone.Close())
		cmd.Stdout, cmd.Stderr = complaints, complaints
		require.NoError(t, cmd.Start())
		require.NoError(t, complaints.Close())
		_ = cmd.Wait()
		require.Equal(t, exitError, cmd.ProcessState.ExitCode(), "the table was not printed")
		require.Empty(t, databaseOf(t, db, cmd), "the database is left")
	})
}

// Ensures that a second Ctrl-C ends a run that takes its time to end.
func TestBenchIsInterruptedTwice(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		cmd := play(t, s.RootDSN(), "bench", "--duration=20s", "--strategies=for-update", "--callers=1")
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		require.NoError(t, cmd.Start())
		db := s.DB(t)
		var name string
		require.Eventually(t, func() bool {
			name = databaseOf(t, db, cmd)
			return moved(db, name)
		}, time.Minute, 10*time.Millisecond)
		ctx := context.WithoutCancel(t.Context())
		tx, err := db.BeginTx(ctx, nil) // who reads a table keeps it from being dropped
		require.NoError(t, err)
		var rows int
		require.NoError(t, tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+name+".account").Scan(&rows))
		defer func() {
			require.NoError(t, tx.Rollback())
			_, err := db.ExecContext(ctx, "DROP DATABASE IF EXISTS "+name)
			require.NoError(t, err)
		}()
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		require.Eventually(t, func() bool { return dropping(t, s, name) }, 20*time.Second, 10*time.Millisecond)
		interruptUntilEnd(cmd)
		require.Equal(t, syscall.SIGINT, endedBy(cmd), complaints.String())
	})
}

// interruptUntilEnd has somebody press Ctrl-C until the process ends: one right behind the first may be taken for
// it. It kills the process before DROP DATABASE gives up by itself.
func interruptUntilEnd(cmd *exec.Cmd) {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stuck := time.AfterFunc(15*time.Second, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-ended:
			return
		case <-again.C:
			_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended
		}
	}
}

// endedBy is the signal that has ended a process, or -1 if it has ended by itself.
func endedBy(cmd *exec.Cmd) syscall.Signal {
	return cmd.ProcessState.Sys().(syscall.WaitStatus).Signal()
}

// dropping reports whether the server is asked to drop a database.
func dropping(t *testing.T, s *mysqltest.Server, name string) bool {
	var n int
	require.NoError(t, s.DB(t).QueryRowContext(t.Context(),
		"SELECT COUNT(*) FROM information_schema.processlist WHERE info = ?", "DROP DATABASE "+name).Scan(&n))
	return n > 0
}

// Ensures that Ctrl-C ends a run that waits for somebody to read its file, and that what has readers is written as it
// is: a pipe stays one.
func TestBenchWritesPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "x.svg"), filepath.Join(dir, "x-latency.svg")
	require.NoError(t, syscall.Mkfifo(first, 0o600))
	require.NoError(t, syscall.Mkfifo(second, 0o600))
	cmd := play(t, "root@tcp(127.0.0.1:1)/", "bench", "--svg", first)
	require.NoError(t, cmd.Start())
	reader, err := os.Open(first) // waits until it is opened to write
	require.NoError(t, err)
	defer reader.Close()
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT)) // it waits for a reader of the second
	stuck := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	_ = cmd.Wait()
	require.Equal(t, syscall.SIGINT, endedBy(cmd))

	read := make(chan string, 1)
	go func() {
		text, _ := os.ReadFile(second)
		read <- string(text)
	}()
	var files results
	require.NoError(t, files.add("svg", second, writeNew))
	require.NoError(t, files.add("json", os.DevNull, writeNew))
	require.NoError(t, files.save())
	require.Equal(t, "new", <-read)
	info, err := os.Stat(second)
	require.NoError(t, err)
	require.Equal(t, os.ModeNamedPipe, info.Mode().Type())
	require.Equal(t, []string{"x-latency.svg", "x.svg"}, namesIn(t, dir))
}

// Ensures that a link to a file stays one, and counts as that file.
func TestBenchFollowsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "x.svg"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.NoError(t, os.Symlink(file, link))
	var files results
	require.NoError(t, files.add("json", link, writeNew))
	require.NoError(t, files.save())
	requireText(t, "new", file)
	r := bench(t.Context(), unasked(t), nowhere, "--json", link, "--svg", file)
	require.ErrorContains(t, r.err, "would both write "+file)
	require.False(t, oneFile(os.DevNull, os.DevNull), "it takes both")
}
