package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// results are the files that a run is to write. Whether they can be is tried before it, so that minutes of
// measuring are not lost to a folder that does not exist. They are written after it: what an earlier run has left
// stays until there is all of something better.
type results []result

type result struct {
	path  string
	pipe  *os.File // what is no regular file: a pipe, a terminal or a device, which is open
	write func(io.Writer) error
}

// add takes note of a file that write will fill.
func (r *results) add(flag, path string, write func(io.Writer) error) error {
	f := result{path: path, write: write}
	if err := f.try(); err != nil {
		return fmt.Errorf("--%s cannot be written: %w", flag, err)
	}
	*r = append(*r, f)
	return nil
}

// try opens what is no regular file. Of others it finds out whether they can be written, and leaves no trace.
func (f *result) try() error {
	info, err := os.Stat(f.path)
	if err == nil {
		old, err := os.OpenFile(f.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			f.pipe = old
			return nil
		}
		if err := old.Close(); err != nil {
			return err
		}
		if f.path, err = filepath.EvalSymlinks(f.path); err != nil { // a link stays one
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	draft, err := newDraft(f.path)
	if err != nil {
		return err
	}
	return errors.Join(draft.Close(), os.Remove(draft.Name()))
}

// newDraft makes a file beside the one that it is to become.
func newDraft(path string) (*os.File, error) {
	name := fmt.Sprintf(".sqlcas-%d-%d", os.Getpid(), rand.Uint32())
	return os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// save writes all files, also after one that cannot be, and closes them.
func (r *results) save() error {
	var all error
	for _, f := range *r {
		if err := f.save(); err != nil {
			all = errors.Join(all, fmt.Errorf("%s is not saved: %w", f.path, err))
		}
	}
	*r = nil
	return all
}

func (f *result) save() error {
	if f.pipe != nil {
		return errors.Join(f.write(f.pipe), f.pipe.Close())
	}
	draft, err := newDraft(f.path)
	if err != nil {
		return err
	}
	err = errors.Join(f.write(draft), f.likeTheOld(draft), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(draft.Name()) // the first error is what counts
	}
	return err
}

// likeTheOld gives a draft the mode of the file that it replaces, if there is one.
func (f *result) likeTheOld(draft *os.File) error {
	info, err := os.Stat(f.path)
	if err != nil {
		return nil
	}
	return draft.Chmod(info.Mode().Perm())
}

// close closes what was not saved.
func (r *results) close() {
	for _, f := range *r {
		if f.pipe != nil {
			_ = f.pipe.Close() // what was not written cannot be lost
		}
	}
	*r = nil
}
