// Command withdb boots throwaway database servers, runs a command on them, and stops them.
//
//	withdb [flags] -- go test ./...   boot once for all packages, run, stop, say what was used
//	withdb -install                   install the servers that are missing
//	withdb -print                     boot one server, print its DSN, wait for Ctrl-C
//	withdb -one [flags] -- command    boot one server, for a program that can do without
//
// The command gets the servers' addresses in SQLCAS_TEST_DSNS, and its exit code is withdb's own.
// With -one it gets one address in SQLCAS_DSN, of a server that is here already if there is any;
// where SQLCAS_DSN is set already, that is used and nothing is booted.
// If withdb is killed its servers end too. The logic is in internal/mysqltest; see its
// documentation for where servers come from.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Exit codes of withdb itself; otherwise it ends with its command's.
const (
	exitFailed = 1
	exitUsage  = 2
)

// dsnEnv is the address that the command of -one gets.
const dsnEnv = "SQLCAS_DSN"

// config is what the command line says.
type config struct {
	servers, require             []string
	install, print, one, durable bool
	command                      []string
}

func main() { os.Exit(run(os.Args[1:])) }

// run is main with an exit code.
func run(args []string) int {
	c, err := parse(args, os.Stderr)
	if err != nil {
		fmt.Fprintf(os.Stderr, "withdb: %v\n", err)
		return exitUsage
	}
	// Signals end the install and the boot; the command gets them from then on.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	if c.one && os.Getenv(dsnEnv) != "" {
		return runAndTell(c.command, os.Environ())
	}
	if c.one && len(c.servers) == 0 {
		c.servers = preferred(mysqltest.Installed(ctx))
	}
	var missing []mysqltest.Missing
	if c.install {
		if missing, err = mysqltest.Install(ctx, os.Stderr, c.servers...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return exitFailed
		}
	}
	if len(c.command) == 0 && !c.print {
		return installed(missing, c.require)
	}
	if c.print && len(c.servers) == 0 {
		c.servers = preferred(mysqltest.Installed(ctx))
	}
	options := mysqltest.Options{Durable: c.durable}
	fleet, err := mysqltest.BootFleet(ctx, os.Stderr, options, c.servers...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	fleet.Explain(missing)
	code := use(ctx, c, fleet)
	if err := fleet.Stop(); err != nil {
		fmt.Fprintf(os.Stderr, "withdb: stop: %v\n", err)
		code = max(code, exitFailed)
	}
	if !c.one {
		fleet.Report(os.Stderr)
	}
	return code
}

// use does what the servers were booted for.
func use(ctx context.Context, c *config, fleet *mysqltest.Fleet) int {
	if err := fleet.Require(c.require); err != nil {
		fmt.Fprintf(os.Stderr, "withdb: %v\n", err)
		return exitFailed
	}
	if ctx.Err() != nil {
		return exitFailed // interrupted while booting
	}
	if c.print {
		return show(ctx, fleet)
	}
	env := append(os.Environ(), fleet.Env()...)
	if len(c.require) > 0 {
		env = append(env, "SQLCAS_TEST_REQUIRE="+join(c.require))
	}
	if c.one {
		env = append(env, one(fleet)...)
	}
	return runAndTell(c.command, env)
}

// one returns the environment of a command that wants one server, and says so if there is none.
func one(fleet *mysqltest.Fleet) []string {
	if len(fleet.Servers) > 0 {
		return []string{dsnEnv + "=" + fleet.Servers[0].RootDSN()}
	}
	mysqltest.ReportMissing(os.Stderr, fleet.Missing)
	fmt.Fprintln(os.Stderr, "withdb: there is no server; the command runs without one")
	return nil
}

// runAndTell runs the command and prints why, if it did not start.
func runAndTell(argv, env []string) int {
	code, err := runCommand(argv, env)
	if err != nil {
		fmt.Fprintf(os.Stderr, "withdb: %v\n", err)
	}
	return code
}

// installed ends `withdb -install`. What was asked for by -require must be there; without it
// MariaDB 10.11, which every Debian has, must.
func installed(missing []mysqltest.Missing, require []string) int {
	if len(require) == 0 {
		require = []string{mysqltest.MariaDB1011}
	}
	code := 0
	for _, m := range missing {
		for _, name := range require {
			if m.Name == name {
				code = exitFailed
			}
		}
	}
	mysqltest.ReportMissing(os.Stderr, missing)
	return code
}

// parse reads the command line; its errors name the mend.
func parse(args []string, usage io.Writer) (*config, error) {
	c := &config{}
	flags := flag.NewFlagSet("withdb", flag.ContinueOnError)
	flags.SetOutput(usage)
	servers := flags.String("servers", "", "use only these `flavours`: mysql97,mariadb1011,mariadb118")
	require := flags.String("require", "", "fail when one of these `flavours` is missing")
	flags.BoolVar(&c.install, "install", false, "install the servers that are missing first")
	flags.BoolVar(&c.print, "print", false, "print the DSN of a server and wait for Ctrl-C")
	flags.BoolVar(&c.one, "one", false, "boot one server only, and run the command without one if there is none")
	flags.BoolVar(&c.durable, "durable", false, "commits reach the disk and the binary log is on")
	flags.Usage = func() {
		fmt.Fprintln(usage, "usage: withdb [flags] -- command [argument...]")
		flags.PrintDefaults()
	}
	err := flags.Parse(args)
	if err != nil {
		return nil, err
	}
	if c.servers, err = mysqltest.ParseNames(*servers); err != nil {
		return nil, fmt.Errorf("-servers: %w", err)
	}
	if c.require, err = mysqltest.ParseNames(*require); err != nil {
		return nil, fmt.Errorf("-require: %w", err)
	}
	c.command = flags.Args()
	switch {
	case c.print && len(c.command) > 0:
		return nil, fmt.Errorf("-print and a command exclude each other; leave one out")
	case c.one && len(c.command) == 0:
		return nil, fmt.Errorf("-one is for a command; write it after --")
	case !c.print && !c.install && len(c.command) == 0:
		return nil, fmt.Errorf("no command; write it after --, for instance -- go test ./internal/txn")
	}
	return c, nil
}
