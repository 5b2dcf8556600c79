package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeMigration writes all files of a migration to a folder, or none, and returns their paths. It replaces
// nothing: a migration that has been run must stay as it was. link is os.Link, which not every file system has.
func writeMigration(
	dir string, m migration, files []migrationFile, link func(from, to string) error,
) (written []string, err error) {
	if err := refuseAgain(dir, m, files); err != nil {
		return nil, err
	}
	defer func() {
		if err == nil {
			return
		}
		for _, path := range written {
			err = errors.Join(err, os.Remove(path)) // half a pair would be run
		}
		written = nil
	}()
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := makeFile(path, f.text, link); err != nil {
			return written, fmt.Errorf("nothing is written: %w", err)
		}
		written = append(written, path)
	}
	return written, nil
}

// refuseAgain refuses a folder that is not there, and one that has a migration with the same title: run after
// that one it would find its tables there, and stop the whole chain.
func refuseAgain(dir string, m migration, files []migrationFile) error {
	const mend = "make it first, or name the one that your migrations are in"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--out %s: there is no such folder: %s", dir, mend)
	case err != nil:
		return fmt.Errorf("--out: %w", err)
	case !info.IsDir():
		return fmt.Errorf("--out %s is no folder: %s", dir, mend)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for _, entry := range entries {
		for _, f := range files {
			if strings.HasSuffix(entry.Name(), "_"+m.title+f.kind) {
				return fmt.Errorf("%s is there already, and nothing is written: keep it if it has been run anywhere, "+
					"delete it if it has not", filepath.Join(dir, entry.Name()))
			}
		}
	}
	return nil
}

// makeFile makes a file that is not there yet. Nobody ever reads half of it, and if somebody else has just made
// one of that name it fails and leaves theirs.
func makeFile(path, text string, link func(from, to string) error) error {
	draft, err := newDraft(path)
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name()) // gone already where it was renamed
	_, err = draft.WriteString(text)
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	if err = link(draft.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(path); err == nil { // no links here: look before the rename, which would replace
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	return os.Rename(draft.Name(), path)
}
