package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/examples/inventory/replay"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
)

// Ensures that without a server the optimistic half runs on SQLite, says so on its first line, and
// ends with a table in which everything reconciles.
func TestRunWithoutServer(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"-workers", "8", "-rounds", "1"}, "", &out, &errOut)
	if code != 0 || errOut.Len() > 0 {
		t.Errorf("got exit code %d and %q on standard error, want 0 and nothing", code, errOut.String())
	}
	want := regexp.MustCompile(
		`^No server given, so this is the optimistic half alone, on embedded SQLite \d`)
	if first, _, _ := strings.Cut(out.String(), "\n"); !want.MatchString(first) {
		t.Errorf("got first line %q, want it to say what is missing", first)
	}
	checkTable(t, out.String(), "Update", "Update + key", "UpdateTx", "Store")
}

// Ensures that whole orders run on SQLite by the optimistic Store alone, and that the lines above and
// below the table speak of them.
func TestRunWholeOrdersWithoutServer(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"-whole", "-workers", "8", "-rounds", "2"}, "", &out, &errOut)
	if code != 0 || errOut.Len() > 0 {
		t.Errorf("got exit code %d and %q on standard error, want 0 and nothing", code, errOut.String())
	}
	for _, want := range []string{"Orders: 236 whole ones, 600 lines of the sample", ordersLegend} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want %q in it", out.String(), want)
		}
	}
	checkTable(t, out.String(), "Store")
}

// Ensures on each server that all strategies run and reconcile, that the line above the table names
// the server, and that DSN and strategy are taken from flags and environment.
func TestRunOnServers(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), []string{"-rounds", "1"}, s.DSN, &out, &errOut); code != 0 {
			t.Fatalf("got exit code %d, want 0:\n%s%s", code, out.String(), errOut.String())
		}
		first := regexp.MustCompile(
			`^Server: (MySQL|MariaDB) \d+\.\d+\.\d+, (durable commits|commits NOT durable) \(`)
		if !first.Match(out.Bytes()) {
			t.Errorf("got %q, want the server and its durability first", out.String())
		}
		checkTable(t, out.String(), "Update", "Update + key", "UpdateTx", "Store", "Store locked",
			"FOR UPDATE")
		out.Reset()
		args := []string{"-rounds", "1", "-strategy", "forupdate", "-dsn", s.DSN}
		if code := run(t.Context(), args, "", &out, &errOut); code != 0 {
			t.Fatalf("got exit code %d, want 0:\n%s%s", code, out.String(), errOut.String())
		}
		checkTable(t, out.String(), "FOR UPDATE")
		out.Reset()
		if code := run(t.Context(), []string{"-rounds", "1", "-whole"}, s.DSN, &out, &errOut); code != 0 {
			t.Fatalf("got exit code %d, want 0:\n%s%s", code, out.String(), errOut.String())
		}
		checkTable(t, out.String(), "Store", "Store locked")
	})
}

// checkTable checks that the strategies, and no others, are in the table and reconcile.
func checkTable(t *testing.T, out string, strategies ...string) {
	t.Helper()
	row := regexp.MustCompile(`(?m)^(.{12}) +\d+ +[\d.]+ +[\d.]+ +[\d.]+/\d+ +\d+ +\d+ +(yes|NO)$`)
	rows := row.FindAllStringSubmatch(out, -1)
	if len(rows) != len(strategies) {
		t.Fatalf("got %d rows, want %v:\n%s", len(rows), strategies, out)
	}
	for i, r := range rows {
		if got := strings.TrimSpace(r[1]); got != strategies[i] || r[2] != "yes" {
			t.Errorf("got row %q, want %s, reconciled", r[0], strategies[i])
		}
	}
}

// Ensures that files of one's own are replayed, with non-ASCII names and quoted fields.
func TestRunOnOwnFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	products := write(t, dir, "p.csv", "productName,productID,unitsInStock\n\"Crème, thick\",4,9\n")
	orders := write(t, dir, "o.csv",
		"orderID,productID,unitPrice,quantity,discount\n1,4,1.00,6,0\n2,4,1.00,6,0\n")
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"-products", products, "-orders", orders, "-rounds", "2"}, "",
		&out, &errOut)
	if code != 0 {
		t.Fatalf("got exit code %d, want 0: %s", code, errOut.String())
	}
	for _, want := range []string{
		"Orders: 4 lines of " + orders + " (its 2 lines 2 times, on 2 times the stock)\n",
		"Stock:  18 units of 1 products; the orders want 24\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want %q in it", out.String(), want)
		}
	}
}

// badInput is what is refused; bad.csv is a file with a mistake, in the test's folder.
var badInput = map[string]struct {
	args []string
	code int
	want string
}{
	"argument": {
		[]string{"orders.csv"},
		exitUsage,
		`"orders.csv" is no flag; files are given as -products file -orders file`,
	},
	"half": {
		[]string{"-orders", "o.csv"},
		exitUsage,
		"-products and -orders belong together; give both, or neither for the sample",
	},
	"workers": {[]string{"-workers", "0"}, exitUsage, "-workers 0: give at least 1"},
	"rounds": {
		[]string{"-rounds", "-1"},
		exitUsage,
		"-rounds -1: give 1 to 1000, or leave it out",
	},
	"strategy": {
		[]string{"-strategy", "luck"},
		exitUsage,
		"-strategy luck: there is all, update, key, tx, store, locked, forupdate",
	},
	"whole strategy": {
		[]string{"-strategy", "tx", "-whole"},
		exitUsage,
		"-strategy tx: there is all, store, locked",
	},
	"no file": {
		[]string{"-products", "bad.csv.not", "-orders", "bad.csv"},
		exitUsage,
		"bad.csv.not: no such file or directory",
	},
	"bad file": {
		[]string{"-products", "bad.csv", "-orders", "bad.csv"},
		exitUsage,
		`bad.csv:2:5: unitsInStock "x" is not a whole number; write digits alone, such as 12`,
	},
	"row locks": {
		[]string{"-strategy", "forupdate"},
		exitFailed,
		"-strategy forupdate: SQLite has no row locks; give a server with -dsn",
	},
	"row locks of a store": {
		[]string{"-strategy", "locked", "-whole"},
		exitFailed,
		"-strategy locked: SQLite has no row locks; give a server with -dsn",
	},
	"bad dsn": {
		[]string{"-dsn", "nonsense"},
		exitFailed,
		"write it as user:password@tcp(host:3306)/",
	},
	"dead server": {
		[]string{"-dsn", "root:secret@tcp(127.0.0.1:1)/"},
		exitFailed,
		"is the server up, and are user and password right?",
	},
}

// Ensures that a wrong command line, a wrong file and an unreachable server are told apart from
// books that do not balance, and that each message names the mend.
func TestRunRefusesBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "bad.csv", "productID,productName,unitsInStock\n1,a,x\n")
	for name, c := range badInput {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errOut bytes.Buffer
			args := slices.Clone(c.args)
			for i, a := range args {
				if strings.HasPrefix(a, "bad.csv") {
					args[i] = filepath.Join(dir, a)
				}
			}
			code := run(t.Context(), args, "", &out, &errOut)
			if code != c.code || !strings.Contains(errOut.String(), c.want) {
				t.Errorf("got exit code %d and %q, want %d and %q", code, errOut.String(), c.code, c.want)
			}
			if strings.Contains(errOut.String(), "secret") {
				t.Errorf("got %q, which holds the password", errOut.String())
			}
		})
	}
}

// Ensures that -h does not print the password of a DSN in the environment.
func TestHelpHidesTheDSN(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"-h"}, "root:secret@tcp(127.0.0.1:1)/", &out, &errOut)
	if code != 0 || !strings.Contains(errOut.String(), "-dsn") ||
		strings.Contains(errOut.String(), "secret") {
		t.Errorf("got exit code %d and %q, want 0 and no password", code, errOut.String())
	}
}

// Ensures that an interrupted run says so, with the exit code shells have for it.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errOut bytes.Buffer
	code := run(ctx, nil, "", &out, &errOut)
	if want := "interrupted"; code != exitInterrupted || !strings.Contains(errOut.String(), want) {
		t.Errorf("got exit code %d and %q, want %d and %q", code, errOut.String(), exitInterrupted, want)
	}
}

// Ensures that books that do not balance are a NO in the table, a list on standard error, not
// longer than anybody would read, and no success.
func TestMismatchIsShown(t *testing.T) {
	t.Parallel()
	bad := &replay.Result{Orders: 1, Mismatches: make([]replay.Mismatch, maxListed+5)}
	bad.Strategy.Title = "Update"
	bad.Mismatches[0] = replay.Mismatch{Product: 7, Reason: "oversold"}
	results := []*replay.Result{bad}
	var out, errOut bytes.Buffer
	if err := printTable(&out, results); err != nil {
		t.Fatal(err)
	}
	if verdict(&out, &errOut, results, linesLegend) {
		t.Error("got success, want none")
	}
	if !strings.Contains(out.String(), " NO\n") {
		t.Errorf("got %q, want a NO", out.String())
	}
	want := "inventory: Update does NOT reconcile: product 7: oversold\n"
	got := errOut.String()
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "inventory: Update: and 5 more\n") {
		t.Errorf("got %q, want it to start with %q and to end with the number left out", got, want)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
