// Command sqlcas writes and checks the SQL of versioned tables, and measures what they cost on a server.
//
//	sqlcas queries    write the queries that read, lock and swap each versioned table
//	sqlcas vet        find SQL that breaks compare-and-swap
//	sqlcas explain    say what a rule of vet is about
//	sqlcas migrate    write a migration that creates the library's own tables
//	sqlcas bench      measure ways to update a row that many callers want
//
// The same binary is the plugin that `sqlc generate` runs to write the sqlcas.Tables beside its own Go. See
// docs/generator.md.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// Exit codes.
const (
	exitFound = 1 // what was asked about has faults, or is not up to date
	exitError = 2 // sqlcas could not do what it was told to
)

// failure is an error with an exit code of its own; all others are exitError. What was found has been printed.
type failure struct {
	error
	code int
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == generateMethod {
		os.Exit(plugin(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command line and returns the exit code.
func run(args []string, out, complaints io.Writer) int {
	root := command()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(complaints)
	err := root.Execute()
	var f failure
	switch {
	case err == nil:
		return 0
	case errors.As(err, &f):
		if f.error != nil {
			fmt.Fprintln(complaints, "sqlcas:", f.error)
		}
		return f.code
	}
	fmt.Fprintln(complaints, "sqlcas:", err)
	return exitError
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "sqlcas",
		Short: "Optimistic version locking for MySQL and MariaDB: generate it, check it",
		Long: `sqlcas makes compare-and-swap on a version column safe to use from Go.

A table takes part once its version column has COMMENT 'sqlcas:version'. Then

  sqlcas queries     writes the SQL that reads, locks and swaps its rows,
  sqlc generate      turns it into Go, and runs sqlcas as a plugin for the rest,
  sqlcas vet         finds every statement that would go around the version.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(queriesCommand(), vetCommand(), explainCommand(), benchCommand(hotrow.Run), benchWorkerCommand(),
		migrateCommand(time.Now))
	return root
}
