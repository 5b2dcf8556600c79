package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcas/sqlcas/internal/hotrow"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// measured are the flags that say what to measure, in the order in which a report repeats them.
var measured = []string{
	"throwaway", "callers", "processes", "keys", "duration", "rounds", "rtt", "pool", "strategies",
}

// check reads what the flags say together, and refuses what makes no sense before anything is started.
func (o *benchOptions) check(cmd *cobra.Command, args []string) error {
	// The flag's name may stand apart from it, as those of other flags do.
	if len(args) == 1 {
		if o.throwaway != anyFlavour {
			return fmt.Errorf("%q is no flag: bench takes flags alone", args[0])
		}
		o.throwaway = args[0]
	}
	if o.simulate {
		return o.checkSimulation(cmd)
	}
	if o.throwaway == "" && cmd.Flags().Changed("throwaway") {
		return fmt.Errorf("--throwaway= names no server: write --throwaway=%s, "+
			"or --throwaway alone for the first that is installed", strings.Join(mysqltest.Flavours(), ", --throwaway="))
	}
	if err := o.checkServer(); err != nil {
		return err
	}
	if err := o.checkNumbers(); err != nil {
		return err
	}
	if err := o.checkStrategies(); err != nil {
		return err
	}
	o.command = commandLine(cmd, o.throwaway)
	return o.checkFiles()
}

// checkSimulation refuses what a simulation would not look at.
func (o *benchOptions) checkSimulation(cmd *cobra.Command) error {
	for _, name := range append([]string{"dsn", "json"}, measured...) {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--simulate needs no server, and measures none: leave --%s away, or --simulate", name)
		}
	}
	return o.checkFiles()
}

// checkServer finds out which of the two it is.
func (o *benchOptions) checkServer() error {
	switch {
	case o.dsn != "" && o.throwaway != "":
		return errors.New("--dsn names a server and --throwaway starts one: leave one of them away")
	case o.throwaway == anyFlavour || slices.Contains(mysqltest.Flavours(), o.throwaway):
		return nil
	case o.throwaway != "":
		return fmt.Errorf("--throwaway: there is no %q: write %s, or nothing for the first that is installed",
			o.throwaway, strings.Join(mysqltest.Flavours(), ", "))
	case o.dsn == "":
		o.dsn = os.Getenv(dsnEnv)
	}
	if o.dsn == "" {
		return fmt.Errorf("no server: name one with --dsn 'user:password@tcp(host:3306)/' (or in the environment, as %s), "+
			"or have one started with --throwaway", dsnEnv)
	}
	return nil
}

// checkStrategies spells "all" out, which are those that do the same, and refuses names that there are not.
func (o *benchOptions) checkStrategies() error {
	var known []string
	for _, s := range hotrow.Strategies() {
		known = append(known, s.Name)
	}
	if slices.Equal(o.strategies, []string{"all"}) {
		o.strategies = known
		return nil
	}
	for _, s := range hotrow.LedgerStrategies() {
		known = append(known, s.Name)
	}
	if len(o.strategies) == 0 {
		return fmt.Errorf("--strategies is empty: choose from %s, or write all", strings.Join(known, ", "))
	}
	for i, name := range o.strategies {
		if !slices.Contains(known, name) {
			return fmt.Errorf("--strategies: there is no %q: choose from %s, or write all alone", name, strings.Join(known, ", "))
		}
		if slices.Contains(o.strategies[:i], name) {
			return fmt.Errorf("--strategies has %q twice: give each once", name)
		}
	}
	return nil
}

// commandLine is what a report says of how it was made: what says what to measure, and nothing that names a
// server, its password or a file.
func commandLine(cmd *cobra.Command, flavour string) string {
	line := "sqlcas bench"
	for _, name := range measured {
		f := cmd.Flags().Lookup(name)
		switch {
		case !f.Changed:
		case name == "throwaway" && flavour == anyFlavour:
			line += " --throwaway"
		case name == "throwaway":
			line += " --throwaway=" + flavour
		default:
			line += " --" + name + " " + f.Value.String()
		}
	}
	return line
}

// strategyList describes strategies for the help.
func strategyList(all []hotrow.Strategy) string {
	width := 0
	for _, s := range all {
		width = max(width, len(s.Name))
	}
	var lines []string
	for _, s := range all {
		lines = append(lines, fmt.Sprintf("%-*s  %s", width, s.Name, s.About))
	}
	return strings.Join(lines, "\n  ")
}
