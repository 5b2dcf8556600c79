// Command vuln runs govulncheck with whichever copy of the Go vulnerability database it can get.
//
//	go -C tools run ./cmd/vuln -C .. ./...
//
// Its arguments are govulncheck's own; the example checks the root module from tools/. It first
// uses govulncheck's default database, on the web. Where that host is not reachable (behind a
// company's firewall, in a sandboxed CI) it uses the same reports from the Go module
// golang.org/x/vulndb: the newest one that the module proxy serves, else one that is already in the
// module cache. It says on standard error which one it used, with its date, so that an old copy
// does not pass for today's.
//
// Vulnerabilities of the standard library are mended by a newer Go, not by a change of the code.
// Before govulncheck's arguments, -tolerate-stdlib lets the check pass when there are no others:
// for a CI whose Go is not the project's to choose. They are printed all the same, with what mends
// them.
//
// It exits 0 if nothing that the code calls is known to be vulnerable, 3 if something is, and 1 if
// no database could be used or the packages do not load. `go run` turns each of the latter into 1
// and prints the number.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"golang.org/x/vuln/scan"
)

// Exit codes of govulncheck; any other means that it could not tell.
const (
	exitClean  = 0
	exitFailed = 1
	exitFound  = 3
)

// database is one way to get the reports. open returns the URL for govulncheck's -db, empty for its
// own default, and a name with a date for people to read.
type database struct {
	what string
	open func(ctx context.Context) (url, name string, err error)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], databases(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// databases lists where reports come from, the best first.
func databases() []database {
	const web = "govulncheck's default database"
	return []database{
		{web, func(context.Context) (string, string, error) { return "", web, nil }},
		{"the newest " + vulndb, newestModule},
		{"the cached " + vulndb, cachedModule},
	}
}

// run checks the packages in args against the first database that works, and returns the exit code.
// With -tolerate-stdlib first among args, findings in the standard library alone count as clean. A
// failure is not told apart by its text: one that is not the database's fault comes back with the
// next one, and is printed then.
func run(ctx context.Context, args []string, dbs []database, stdout, stderr io.Writer) int {
	tolerant := len(args) > 0 && args[0] == tolerateStdlib
	if tolerant {
		args = args[1:]
	}
	for _, db := range dbs {
		url, name, err := db.open(ctx)
		if err != nil {
			fmt.Fprintf(stderr, "vuln: %s: %v\n", db.what, err)
			continue
		}
		code, out, errOut := govulncheck(ctx, url, args)
		if code != exitClean && code != exitFound {
			fmt.Fprintf(stderr, "vuln: %s: %s\n", name, bytes.TrimSpace(errOut))
			continue
		}
		fmt.Fprintf(stderr, "vuln: checked against %s\n%s", name, errOut)
		_, _ = stdout.Write(out)
		if code == exitFound && tolerant {
			return judge(ctx, url, args, stderr)
		}
		return code
	}
	fmt.Fprintln(stderr, "vuln: not checked: none of the databases could be used, see above")
	return exitFailed
}

// judge turns "something was found" into a pass if it is all in the standard library, and says so.
func judge(ctx context.Context, url string, args []string, stderr io.Writer) int {
	only, note, err := onlyStdlib(ctx, url, args)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "vuln: cannot tell whose the findings are: %v\n", err)
		return exitFound
	case !only:
		return exitFound
	}
	fmt.Fprintf(stderr, "vuln: WARNING: passed, but build with a newer Go:%s\n", note)
	return exitClean
}

// govulncheck runs one scan and holds back its output, so that a try that fails leaves no half
// report. A -db among the caller's args comes later on the line and wins.
func govulncheck(ctx context.Context, url string, args []string) (code int, out, errOut []byte) {
	if url != "" {
		args = append([]string{"-db", url}, args...)
	}
	var stdout, stderr bytes.Buffer
	cmd := scan.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Start()
	if err == nil {
		err = cmd.Wait()
	}
	var exit interface{ ExitCode() int }
	switch {
	case err == nil:
		code = exitClean
	case errors.As(err, &exit):
		code = exit.ExitCode()
	default:
		code = exitFailed
	}
	if err != nil && code != exitFound {
		fmt.Fprintln(&stderr, err)
	}
	return code, stdout.Bytes(), stderr.Bytes()
}
