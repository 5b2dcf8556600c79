package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/chart"
	"github.com/sqlcas/sqlcas/internal/hotrow"
)

const (
	standardOutput = "-" // as the name of a file
	svgSuffix      = ".svg"
)

// latencyFile is where latencies are drawn if throughput is drawn into a file.
func latencyFile(svg string) string {
	return strings.TrimSuffix(svg, svgSuffix) + "-latency" + svgSuffix
}

// openReport opens the files for a report that is yet to come.
func (o *benchOptions) openReport(r *hotrow.Report) (results, error) {
	var files results
	var err error
	if o.json != "" && o.json != standardOutput {
		err = files.add("json", o.json, func(w io.Writer) error { return writeJSON(w, *r) })
	}
	if o.svg != "" {
		err = errors.Join(err,
			files.add("svg", o.svg, func(w io.Writer) error { return chart.Throughput(w, *r) }),
			files.add("svg", latencyFile(o.svg), func(w io.Writer) error { return chart.Latency(w, *r, busiest(*r)) }),
		)
	}
	if err != nil {
		files.discard()
	}
	return files, err
}

// busiest is the index of the cell with the most callers.
func busiest(r hotrow.Report) int {
	most := 0
	for i, c := range r.Cells {
		if c.Callers > r.Cells[most].Callers {
			most = i
		}
	}
	return most
}

// writeJSON writes a report as --json has it.
func writeJSON(w io.Writer, r hotrow.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// results are the files that a run is to write. They are opened before it, so that minutes of measuring are not lost
// to a folder that does not exist, and written after it: what an earlier run has left stays until there is something
// better.
type results []result

type result struct {
	file  *os.File
	fresh bool // it was not there before
	write func(io.Writer) error
}

// add opens a file that write will fill.
func (r *results) add(flag, path string, write func(io.Writer) error) error {
	_, missing := os.Stat(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("--%s cannot be written: %w", flag, err)
	}
	*r = append(*r, result{file: f, fresh: missing != nil, write: write})
	return nil
}

// save fills all files, and closes them.
func (r *results) save() error {
	for i, f := range *r {
		if err := f.save(); err != nil {
			*r = slices.Delete(*r, 0, i)
			return fmt.Errorf("write %s: %w", f.file.Name(), err)
		}
	}
	*r = nil
	return nil
}

func (f result) save() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() { // a pipe or a device has nothing to cut off
		if err := f.file.Truncate(0); err != nil {
			return err
		}
	}
	if err := f.write(f.file); err != nil {
		return err
	}
	return f.file.Close()
}

// discard closes the files that were not saved, and removes those that this run has made.
func (r *results) discard() {
	for _, f := range *r {
		_ = f.file.Close() // what was not written cannot be lost
		if f.fresh {
			_ = os.Remove(f.file.Name()) // if not, an empty file is left
		}
	}
	*r = nil
}
