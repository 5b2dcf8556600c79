package vet

import (
	"context"
	"io"
	"slices"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Job says what to look at.
type Job struct {
	// Blocks are schemas with the queries that are written for them: one for each sql block of a sqlc.yaml.
	// SQL in Go code is checked against the tables of all of them; where two have a table of one name, the
	// first one counts.
	Blocks []Block

	// Packages are Go patterns such as ./...; none for no Go code. Tests says that files of tests count too.
	Packages []string
	Tests    bool

	// Dir is the folder that the patterns are meant in; empty for the working directory. Findings name Go
	// files as seen from it.
	Dir string

	// Progress is told what is being done once the run has taken two seconds; nil for nobody.
	Progress io.Writer
}

// Block is a schema and the sqlc queries that are written for it.
type Block struct {
	Schema, Queries []sqlcheck.Source
	Versions        sqlcheck.Versions
	Prepared        bool // sqlc is told to emit_prepared_queries
}

// Position is a place in a file, from 1; columns are in characters.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Report is what a run found.
type Report struct {
	Findings []sqlcheck.Finding // by file, line and column

	Statements int        // of query files and of Go code
	Unparsed   []Unparsed // of the statements, those that the parser does not know: no rule looked at them; in order
	Unknown    []Position // calls whose SQL is built at run time and was not checked, in order
	Locks      []Position // locking reads that run on a handle of which CAS008 does not know what it is, in order
	Files      int        // that were read
	Packages   int        // of Go code, those that have anything to do with a database
	Versioned  int        // tables of the schemas that have a version: where there are none, no rule finds much
}

// Run looks at all of a job. The error says why something could not be looked at: a package that does not
// compile, a version that the schema does not have, a context that has ended. Faults are no error; they are in the report.
func Run(ctx context.Context, job Job) (Report, error) {
	progress := newProgress(job.Progress)
	defer progress.stop()

	var report Report
	tables := &sqlcheck.Catalog{}
	for _, b := range job.Blocks {
		progress.say("reading schema and queries")
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		c, err := b.check(&report)
		if err != nil {
			return Report{}, err
		}
		tables.Tables = append(tables.Tables, c.Tables...)
		tables.Triggers = append(tables.Triggers, c.Triggers...)
	}
	if len(job.Packages) > 0 {
		progress.say("loading Go packages")
		loaded, err := load(ctx, job)
		if err != nil {
			return Report{}, err
		}
		progress.say("checking Go packages")
		newScan(job.Dir, sqlcheck.Input{Catalog: tables}, loaded).run(&report)
	}
	slices.SortFunc(report.Unparsed, func(a, b Unparsed) int { return a.compare(b.Position) })
	report.Findings = sqlcheck.Sort(report.Findings)
	return report, nil
}
