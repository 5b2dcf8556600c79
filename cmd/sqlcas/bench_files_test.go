package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

func writeNew(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }

// errFull is what a full disk answers, after it has taken some.
var errFull = errors.New("the disk is full")

func fail(w io.Writer) error { return errors.Join(writeNew(w), errFull) }

func requireText(t *testing.T, want, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
}

// Ensures that files which are not saved leave no trace: one that was there keeps what it holds, one that was not is
// not made; and that a shorter result leaves nothing of a longer one behind it, but the mode.
func TestBenchFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	require.NoError(t, os.WriteFile(old, []byte("what an earlier run has left"), 0o600))
	var files results
	require.NoError(t, files.add("json", old, writeNew))
	require.NoError(t, files.add("json", fresh, writeNew))
	requireText(t, "what an earlier run has left", old)
	require.Equal(t, []string{"old"}, namesIn(t, dir), "also if the process is killed")

	require.NoError(t, files.save())
	requireText(t, "new", old)
	requireText(t, "new", fresh)
	require.Equal(t, []string{"fresh", "old"}, namesIn(t, dir))
	info, err := os.Stat(old)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range all {
		names = append(names, entry.Name())
	}
	return names
}

// Ensures that a file which cannot be written whole keeps what it had, that the others are written all the same, and
// that all errors are told, with the names of the files.
func TestBenchFilesOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second, third := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "3")
	for _, path := range []string{first, second} {
		require.NoError(t, os.WriteFile(path, []byte("what an earlier run has left"), 0o644))
	}
	var files results
	require.NoError(t, files.add("json", first, fail))
	require.NoError(t, files.add("svg", second, writeNew))
	require.NoError(t, files.add("svg", third, fail))
	err := files.save()
	require.ErrorIs(t, err, errFull)
	require.ErrorContains(t, err, first+" is not saved")
	require.ErrorContains(t, err, third+" is not saved")
	require.NotContains(t, err.Error(), second+" is")
	requireText(t, "what an earlier run has left", first)
	requireText(t, "new", second)
	require.Equal(t, []string{"1", "2"}, namesIn(t, dir))
}

// broken cannot be written to.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Ensures that a table which cannot be printed does not cost the files, nor a file the table.
func TestBenchDeliversWhatItCan(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	var o benchOptions
	var files results
	require.NoError(t, files.add("json", path, writeNew))
	require.ErrorIs(t, o.deliver(broken{}, hotrow.Report{}, files), io.ErrClosedPipe)
	requireText(t, "new", path)

	var out printed
	require.NoError(t, files.add("json", path, func(w io.Writer) error {
		require.NotZero(t, out, "the table comes first")
		return fail(w)
	}))
	require.ErrorIs(t, o.deliver(&out, hotrow.Report{}, files), errFull)
}

// printed counts what was printed.
type printed int

func (p *printed) Write(b []byte) (int, error) { *p += printed(len(b)); return len(b), nil }
