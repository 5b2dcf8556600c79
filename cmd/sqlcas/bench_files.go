package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// checkFiles refuses names of files that it would not write, or would write twice.
func (o *benchOptions) checkFiles() error {
	if o.svg != "" && !strings.HasSuffix(o.svg, svgSuffix) {
		return fmt.Errorf("--svg %s: only SVG is drawn: give a name that ends in %s", o.svg, svgSuffix)
	}
	if o.json == "" || o.json == standardOutput || o.svg == "" {
		return nil
	}
	for _, svg := range []string{o.svg, latencyFile(o.svg)} {
		if oneFile(o.json, svg) {
			return fmt.Errorf("--json %s and --svg %s would both write %s: give one of them another name", o.json, o.svg, svg)
		}
	}
	return nil
}

// oneFile reports whether two paths name the same file, be it there or not. Of devices and pipes it does not matter.
func oneFile(a, b string) bool {
	first, err := os.Stat(a)
	second, missing := os.Stat(b)
	if err != nil || missing != nil {
		return settled(a) == settled(b)
	}
	return first.Mode().IsRegular() && os.SameFile(first, second)
}

// settled is a path without links and detours, as far as it exists.
func settled(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// openReport prepares the files for a report that is yet to come.
func (o *benchOptions) openReport(r *hotrow.Report) (results, error) {
	var files results
	var err error
	if o.json != "" && o.json != standardOutput {
		err = files.add("json", o.json, func(w io.Writer) error { return writeJSON(w, *r) })
	}
	if err == nil && o.svg != "" {
		err = files.add("svg", o.svg, func(w io.Writer) error { return chart.Throughput(w, *r) })
	}
	if err == nil && o.svg != "" {
		err = files.add("svg", latencyFile(o.svg), func(w io.Writer) error { return chart.Latency(w, *r, busiest(*r)) })
	}
	if err != nil {
		files.close()
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

// print writes to standard output what goes there.
func (o *benchOptions) print(out io.Writer, r hotrow.Report) error {
	write := r.Text
	if o.json == standardOutput {
		write = func(w io.Writer) error { return writeJSON(w, r) }
	}
	if err := write(out); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return nil
}

// deliver prints the report and saves the files. What cannot be written costs nothing but itself.
func (o *benchOptions) deliver(out io.Writer, r hotrow.Report, files results) error {
	return errors.Join(o.print(out, r), files.save())
}
