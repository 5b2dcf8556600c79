package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// noLinks is os.Link on a file system that has none.
func noLinks(from, to string) error {
	return &os.LinkError{Op: "link", Old: from, New: to, Err: errors.ErrUnsupported}
}

// linkers are both ways in which a file gets its name.
var linkers = map[string]func(from, to string) error{"links": os.Link, "no links": noLinks}

// pair is a migration of two files.
func pair() (migration, []migrationFile) {
	m := newMigration([]libraryTable{{"sqlcas_a", "CREATE TABLE sqlcas_a (id INT);"}}, written)
	return m, []migrationFile{m.file(".up.sql", "up"), m.file(".down.sql", "down")}
}

// requireFiles fails the test unless a folder has just these files: name, text, name, text.
func requireFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, len(want)/2, "drafts too: %v", left)
	for i := 0; i < len(want); i += 2 {
		text, err := os.ReadFile(filepath.Join(dir, want[i]))
		require.NoError(t, err)
		require.Equal(t, want[i+1], string(text), want[i])
	}
}

// Ensures that --out writes what would have been printed to files that the tools find by their names, tells their
// paths apart from standard output, and leaves nothing else.
func TestMigrateWritesFiles(t *testing.T) {
	t.Parallel()
	for format, names := range map[string][]string{
		"goose":          {"20260701071500_sqlcas_operation.sql"},
		"golang-migrate": {"20260701071500_sqlcas_operation.up.sql", "20260701071500_sqlcas_operation.down.sql"},
	} {
		dir := t.TempDir()
		want, _, err := migrated("--format", format)
		require.NoError(t, err)
		out, told, err := migrated("--format", format, "--out", dir)
		require.NoError(t, err)
		require.Empty(t, out)

		var lines, texts []string
		for _, name := range names {
			lines = append(lines, fmt.Sprintf("wrote %s\n", filepath.Join(dir, name)))
			text, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			if len(names) > 1 {
				text = append([]byte("-- "+name+"\n"), text...)
			}
			texts = append(texts, string(text))
		}
		require.Equal(t, strings.Join(lines, ""), told)
		require.Equal(t, want, strings.Join(texts, "\n"))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, len(names), "drafts too: %v", left)
	}
}

// Ensures that a second run, at whatever time, neither replaces the migration that is there nor adds another that
// would fail on the tables of the first, and names the file that is in the way, also where only half a pair is.
func TestMigrateDoesNotRepeatItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, there string }{
		{"goose", "20260701071500_sqlcas_operation.sql"},
		{"goose", "00007_sqlcas_operation.sql"},
		{"golang-migrate", "20260701071500_sqlcas_operation.down.sql"},
		{"golang-migrate", "20250101000000_sqlcas_operation.up.sql"},
	} {
		dir := folderOf(t, c.there, "mine")
		out, told, err := migrated("--format", c.format, "--out", dir)
		require.ErrorContains(t, err, filepath.Join(dir, c.there)+" is there already, and nothing is written")
		require.Empty(t, out)
		require.Empty(t, told)
		requireFiles(t, dir, c.there, "mine")
	}
	dir := folderOf(t, "20260701071500_other.sql", "mine")
	_, _, err := migrated("--format", "goose", "--out", dir)
	require.NoError(t, err, "another migration is in nobody's way")
}

// Ensures that of two files none is left when the second cannot be written, and that nothing is told to be.
func TestMigrateWritesAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, link := range linkers {
		dir := t.TempDir()
		m, files := pair()
		full := errors.New("no space left")
		paths, err := writeMigration(dir, m, files, func(from, to string) error {
			if strings.HasSuffix(to, ".down.sql") {
				require.NoError(t, os.Remove(from)) // a rename fails as well then
				return full
			}
			return link(from, to)
		})
		require.ErrorContains(t, err, "nothing is written", name)
		require.Empty(t, paths, name)
		requireFiles(t, dir)

		paths, err = writeMigration(dir, m, files, link)
		require.NoError(t, err, name)
		require.Equal(t, []string{filepath.Join(dir, files[0].name), filepath.Join(dir, files[1].name)}, paths, name)
		requireFiles(t, dir, files[0].name, files[0].text, files[1].name, files[1].text)
	}
}

// Ensures that a file which appears while a migration is being written keeps its text, and that the other file of
// the pair goes.
func TestMigrateLosesARaceWithoutHarm(t *testing.T) {
	t.Parallel()
	for name, link := range linkers {
		dir := t.TempDir()
		m, files := pair()
		_, err := writeMigration(dir, m, files, func(from, to string) error {
			if strings.HasSuffix(to, ".down.sql") {
				require.NoError(t, os.WriteFile(to, []byte("theirs"), 0o644))
			}
			return link(from, to)
		})
		require.ErrorIs(t, err, fs.ErrExist, name)
		require.ErrorContains(t, err, files[1].name, name)
		requireFiles(t, dir, files[1].name, "theirs")
	}
}

// Ensures that of many who make one file at once exactly one does, and that the file is that one's.
func TestMigrateFileHasOneWriter(t *testing.T) {
	t.Parallel()
	const writers = 16
	dir := t.TempDir()
	path := filepath.Join(dir, "x.sql")
	var errs [writers]error
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			<-start
			errs[i] = makeFile(path, fmt.Sprint(i), os.Link)
		})
	}
	close(start)
	all.Wait()
	winner := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, winner, "two have made the file")
			winner = i
			continue
		}
		require.ErrorIs(t, err, fs.ErrExist)
	}
	requireFiles(t, dir, "x.sql", fmt.Sprint(winner))
}
