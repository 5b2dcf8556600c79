package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
	"github.com/sqlcas/sqlcas/internal/sqlcyaml"
	"github.com/sqlcas/sqlcas/internal/vet"
)

// vetOptions are what the command line says.
type vetOptions struct {
	file            string
	schema, queries []string
	format          string
	verbose, tests  bool
	packages        []string
}

func vetCommand() *cobra.Command {
	var o vetOptions
	c := &cobra.Command{
		Use:   "vet [flags] [packages]",
		Short: "Find SQL that breaks compare-and-swap, in SQL files and in Go code",
		Long: `Looks for faults in the schema and the queries that sqlc.yaml names, and in the SQL of the Go packages
that are given. It needs no database.

Without a sqlc.yaml, --schema and --queries name files, folders and patterns; with them sqlc.yaml is not
read. Packages are patterns as the go command takes them, such as ./... . Generated Go files are left out:
what sqlc has generated comes of the queries. The last line says what was not checked: SQL that a program
builds at run time, locking reads whose handle is not known, statements that were not understood. -v has
their places.

A comment allows a fault, with a reason: -- sqlcas:allow CAS001 reason in SQL, //sqlcas:allow in Go.
sqlcas explain CAS001 says what a rule is about; docs/rules.md has all rules and the shape of the JSON.

Exit codes: 0 no faults, 1 faults found, 2 could not run: bad usage, a file that cannot be read, a package
that does not compile.`,
		Example: `  sqlcas vet                               # what sqlc.yaml names
  sqlcas vet ./...                         # and the SQL in Go code
  sqlcas vet -f db/sqlc.yaml -v ./...
  sqlcas vet --schema db/migrations ./...  # without sqlc
  sqlcas vet --format sarif ./... > sqlcas.sarif`,
		RunE: func(cmd *cobra.Command, packages []string) error {
			o.packages = packages
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	c.Flags().StringVarP(&o.file, "file", "f", "", "the sqlc configuration (default sqlc.yaml, sqlc.yml or sqlc.json here)")
	c.Flags().StringArrayVar(&o.schema, "schema", nil, "a file or folder of the schema, instead of sqlc.yaml's (repeatable)")
	c.Flags().StringArrayVar(&o.queries, "queries", nil, "a file or folder of sqlc queries, instead of sqlc.yaml's (repeatable)")
	c.Flags().StringVar(&o.format, "format", "text", "text, json or sarif")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "also give the places of what was not checked: SQL built at run time, locking reads whose handle is not known, and statements that were not understood")
	c.Flags().BoolVar(&o.tests, "tests", false, "look at the tests of Go packages, too")
	return c
}

// run looks at all that was asked for and writes what was found.
func (o vetOptions) run(ctx context.Context, out io.Writer) error {
	write, err := o.writer()
	if err != nil {
		return err
	}
	blocks, err := o.blocks()
	if err != nil {
		return err
	}
	job := vet.Job{Blocks: blocks, Packages: o.packages, Tests: o.tests}
	if isTerminal(os.Stderr) {
		job.Progress = os.Stderr
	}
	report, err := vet.Run(ctx, job)
	if err != nil {
		return err
	}
	if err := write(report, out); err != nil {
		return err
	}
	if len(report.Findings) > 0 {
		return failure{code: exitFound}
	}
	return nil
}

// writer returns what writes a report in the format that was asked for.
func (o vetOptions) writer() (func(vet.Report, io.Writer) error, error) {
	switch o.format {
	case "text":
		return func(r vet.Report, w io.Writer) error { return r.Text(w, o.verbose) }, nil
	case "json":
		return vet.Report.JSON, nil
	case "sarif":
		return vet.Report.SARIF, nil
	}
	return nil, fmt.Errorf("there is no format %q: write --format text, json or sarif", o.format)
}

// blocks reads the schema and the queries.
func (o vetOptions) blocks() ([]vet.Block, error) {
	switch {
	case len(o.schema)+len(o.queries) == 0:
		return o.configured()
	case o.file != "":
		return nil, errors.New("-f names a configuration that says where schema and queries are: leave --schema and --queries away, or -f")
	case len(o.schema) == 0:
		return nil, errors.New("--queries says nothing about the tables: name their CREATE TABLE statements with --schema, too")
	}
	b, err := readBlock(".", sqlcyaml.Block{Schema: o.schema, Queries: o.queries})
	return []vet.Block{b}, err
}

// configured reads the blocks of the sqlc configuration.
func (o vetOptions) configured() ([]vet.Block, error) {
	config, err := readConfig(o.file)
	if errors.Is(err, sqlcyaml.ErrNone) {
		return nil, errors.New("there is no sqlc.yaml here, and no schema is given: run sqlcas vet in the folder that has it, " +
			"name it with -f, or name the files that create the tables with --schema")
	}
	if err != nil {
		return nil, err
	}
	var blocks []vet.Block
	for _, b := range config.Blocks {
		block, err := readBlock(config.Dir, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", config.Path, err)
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

func readBlock(dir string, b sqlcyaml.Block) (vet.Block, error) {
	block := vet.Block{Prepared: b.Prepared}
	if b.Plugin != nil {
		options, err := casgen.ReadOptions(b.Plugin.Options)
		if err != nil {
			return vet.Block{}, err
		}
		block.Versions = options.Versions()
	}
	var err error
	if block.Schema, err = readSources(dir, b.Schema); err != nil {
		return vet.Block{}, err
	}
	block.Queries, err = readSources(dir, b.Queries)
	return block, err
}

// readSources reads SQL files and names them as seen from the working directory. Paths that stand for no SQL
// file at all are a mistake: no faults in nothing would be said of them.
func readSources(dir string, paths []string) ([]sqlcheck.Source, error) {
	sources, err := sqlcyaml.Sources(dir, paths)
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 && len(paths) > 0 {
		return nil, fmt.Errorf("there is no .sql file in %q", paths)
	}
	for i := range sources {
		if name := sources[i].Name; !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
			sources[i].Name = filepath.ToSlash(name)
		}
	}
	return sources, nil
}

// isTerminal reports whether somebody may be looking.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
