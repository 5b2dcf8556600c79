package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// migrateCommand takes the clock, because the version of a migration is the time at which it was written.
func migrateCommand(now func() time.Time) *cobra.Command {
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Write migrations for your migration tool",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(migrateSqlcasCommand(now))
	return c
}

// migrateOptions are the flags of `sqlcas migrate sqlcas`.
type migrateOptions struct {
	format string
	out    string
	tables []string
}

func migrateSqlcasCommand(now func() time.Time) *cobra.Command {
	var o migrateOptions
	c := &cobra.Command{
		Use:   "sqlcas",
		Short: "Write the migration that creates the library's own tables",
		Long: fmt.Sprintf(`Prints the tables that the library keeps for itself. Known tables: %s. sqlcas_operation is
what sqlcas.WithOperationID needs; whoever does not use it needs no table of the library.

Formats: plain is the CREATE TABLE statements; goose is one file with Up and Down; golang-migrate is two
files, up and down. With --out files are written, <UTC time>_sqlcas_<table>.sql or .up.sql and .down.sql:
all of them or none, and none if the folder has a migration of that name already. Without it they are printed.

Down drops the tables: an operation that is repeated afterwards is applied a second time.

Exit codes: 0 done, 2 could not run.`, oneOf(tableNames(libraryTables()))),
		Example: `  sqlcas migrate sqlcas | mysql shop
  sqlcas migrate sqlcas --format goose --out db/migrations
  sqlcas migrate sqlcas --format golang-migrate --out db/migrations`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("out") && o.out == "" {
				return errors.New("--out is empty: name the folder that your migrations are in, or leave it away")
			}
			return o.run(cmd.OutOrStdout(), cmd.ErrOrStderr(), now())
		},
	}
	c.Flags().StringVar(&o.format, "format", formats[0].name, "the tool that will run it: "+oneOf(formatNames()))
	c.Flags().StringVar(&o.out, "out", "", "write files to this `folder` (default: print)")
	c.Flags().StringArrayVar(&o.tables, "table", nil, "only this `table`, may be repeated (default: all)")
	return c
}

// run prints the migration, or writes its files and tells of them.
func (o *migrateOptions) run(out, told io.Writer, now time.Time) error {
	format, err := formatCalled(o.format)
	if err != nil {
		return err
	}
	tables, err := tablesCalled(o.tables)
	if err != nil {
		return err
	}
	m := newMigration(tables, now)
	files := format.files(m)
	switch {
	case o.out == "":
		_, err = io.WriteString(out, together(files))
		return err
	case format.name == plainFormat:
		return fmt.Errorf("--out with --format %s: only a migration tool has files: redirect the output "+
			"(> %s), or give --format goose or golang-migrate", plainFormat, files[0].name)
	}
	paths, err := writeMigration(o.out, m, files, os.Link)
	for _, path := range paths {
		fmt.Fprintf(told, "wrote %s\n", path)
	}
	return err
}
