package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas/internal/benchdb"
)

// small is a plan that takes no time.
func small(t *testing.T) plan {
	t.Helper()
	args := []string{"-rounds=1", "-pairs=2", "-slice=10ms", "-callers=4", "-rows=20", "-rtt=0,100us"}
	p, err := parse(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// servers returns the servers to test on, or skips the test.
func servers(t *testing.T) []benchdb.Server {
	t.Helper()
	all := benchdb.Listed()
	switch {
	case len(all) == 0 && os.Getenv("SQLCAS_TEST_REQUIRE") != "":
		t.Fatal("SQLCAS_TEST_REQUIRE wants servers, and SQLCAS_TEST_DSNS names none")
	case len(all) == 0:
		t.Skip("no server: go run ./internal/cmd/withdb -- go -C bench test ./...")
	}
	return all
}

// execute runs a plan and returns what it printed.
func execute(t *testing.T, p plan, on []benchdb.Server) (code int, out, complaints string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "complaints"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var b strings.Builder
	code = run(t.Context(), p, on, &b, file)
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, b.String(), string(text)
}

// Ensures that all comparisons are made on every server and with every round trip, and that nothing but
// the tables is printed where there is no terminal.
func TestEveryComparisonIsPrinted(t *testing.T) {
	t.Parallel()
	all, p := servers(t), small(t)
	code, out, complaints := execute(t, p, all)
	if code != 0 || complaints != "" {
		t.Fatalf("got code %d and %q, want 0 and nothing", code, complaints)
	}
	for _, s := range all {
		if !strings.Contains(out, "\n"+s.Name+" ") {
			t.Errorf("got no table of %s in:\n%s", s.Name, out)
		}
	}
	for _, c := range p.comparisons {
		for _, roundTrip := range []string{"+0", "+100µs"} {
			got := 0
			for line := range strings.Lines(out) {
				cells := strings.Split(strings.TrimSpace(line), "  ")
				if cells[0] == roundTrip && strings.Contains(line, "  "+c.name+"  ") {
					got++
				}
			}
			if got != len(all) {
				t.Errorf("%s, %s: got %d lines, want %d in:\n%s", roundTrip, c.name, got, len(all), out)
			}
		}
	}
}

// Ensures that -json has every comparison, with the ratio of each round and what makes it comparable, and that a
// file which cannot be written fails the program.
func TestOutcomesAreWritten(t *testing.T) {
	t.Parallel()
	all, p := servers(t)[:1], small(t)
	p.json = filepath.Join(t.TempDir(), "store.json")
	if code, _, complaints := execute(t, p, all); code != 0 {
		t.Fatal(complaints)
	}
	text, err := os.ReadFile(p.json)
	if err != nil {
		t.Fatal(err)
	}
	var got []outcome
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Server != all[0].Name || got[0].Version == "" || got[0].Settings == "" ||
		len(got[0].Pings) != 2 {
		t.Fatalf("got %+v", got)
	}
	if want := len(p.roundTrips) * len(p.comparisons); len(got[0].Compared) != want {
		t.Fatalf("got %d comparisons, want %d", len(got[0].Compared), want)
	}
	for _, c := range got[0].Compared {
		if len(c.Ratios) != p.rounds || c.Work == "" || c.ByHand <= 0 || c.Store <= 0 {
			t.Errorf("got %+v", c)
		}
	}
	p.json = filepath.Join(t.TempDir(), "missing", "store.json")
	if code, _, complaints := execute(t, p, all); code != exitFailed || !strings.Contains(complaints, "-json") {
		t.Errorf("got code %d and %q", code, complaints)
	}
}

// Ensures that a Store which loses an update, or applies one twice, gets no number, and that the program
// fails.
func TestALostUpdateFails(t *testing.T) {
	t.Parallel()
	all := servers(t)[:1]
	lose := func(*sql.DB) work { return func(context.Context, uint64) error { return nil } }
	twice := func(db *sql.DB) work {
		w := swapByHand(db)
		return func(ctx context.Context, id uint64) error { return errors.Join(w(ctx, id), w(ctx, id)) }
	}
	for name, bad := range map[string]maker{"lost": lose, "twice": twice} {
		for i, c := range small(t).comparisons {
			p := small(t)
			p.comparisons = []comparison{c}
			p.comparisons[0].store = bad
			code, out, complaints := execute(t, p, all)
			if code != exitFailed || !strings.Contains(complaints, errLost.Error()) || strings.Contains(out, "µs") {
				t.Errorf("%s, comparison %d: got code %d, %q and\n%s", name, i, code, complaints, out)
			}
		}
	}
}

// Ensures that an error of a caller ends the run.
func TestAnErrorOfACallerFails(t *testing.T) {
	t.Parallel()
	all := servers(t)[:1]
	broken := func(*sql.DB) work { return func(context.Context, uint64) error { return errors.New("broken") } }
	for i := range small(t).comparisons {
		p := small(t)
		p.comparisons[i].byHand = broken
		code, out, complaints := execute(t, p, all)
		if code != exitFailed || !strings.Contains(complaints, "broken") || strings.Contains(out, "µs") {
			t.Errorf("comparison %d: got code %d, %q and\n%s", i, code, complaints, out)
		}
	}
}

// Ensures that without a server it says how to have one.
func TestNoServerFails(t *testing.T) {
	t.Parallel()
	code, out, complaints := execute(t, small(t), nil)
	if code != exitFailed || out != "" || !strings.Contains(complaints, "withdb") {
		t.Errorf("got code %d, %q and %q", code, out, complaints)
	}
}

// Ensures that books which do not balance are noticed, each of the two sums by itself.
func TestBooksMustBalance(t *testing.T) {
	t.Parallel()
	b := &books{opening: 1000, reported: 7}
	for _, tc := range []struct {
		balances, moves int64
		fine            bool
	}{{1007, 7, true}, {1006, 7, false}, {1008, 7, false}, {1007, 6, false}, {1007, 8, false}, {1006, 6, false}} {
		if err := b.compare(tc.balances, tc.moves); errors.Is(err, errLost) == tc.fine {
			t.Errorf("balances %d, moves %d: got %v, want fine %v", tc.balances, tc.moves, err, tc.fine)
		}
	}
}

// Ensures that flags are read, and that what makes no sense is refused by its name.
func TestFlags(t *testing.T) {
	t.Parallel()
	p := small(t)
	if p.rounds != 1 || p.pairs != 2 || p.slice != 10*time.Millisecond || p.callers != 4 || p.rows != 20 ||
		len(p.roundTrips) != 2 || p.roundTrips[1] != 100*time.Microsecond {
		t.Errorf("got %+v", p)
	}
	for _, tc := range []struct{ arg, want string }{
		{"-rounds=0", "-rounds"},
		{"-slice=-1s", "-slice"},
		{"-rtt=", "-rtt"},
		{"-rtt=1ms,soon", `"soon"`},
		{"-rtt=-1ms", "-rtt"},
		{"mysql97", `"mysql97"`},
		{"-unknown", "unknown"},
	} {
		if _, err := parse([]string{tc.arg}, io.Discard); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error that names %s", tc.arg, err, tc.want)
		}
	}
}

// Ensures that a target that was missed is told from one that was reached and from none.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ratio, target float64
		want          string
	}{{0.97, 0.97, "0.97: reached"}, {0.9699, 0.97, "0.97: MISSED"}, {0.1, 0, ""}} {
		if got := verdict(tc.ratio, tc.target); got != tc.want {
			t.Errorf("%v of %v: got %q, want %q", tc.ratio, tc.target, got, tc.want)
		}
	}
}

// Ensures that an added round trip is there.
func TestARoundTripIsAdded(t *testing.T) {
	t.Parallel()
	for _, s := range servers(t) {
		d, err := benchdb.Create(t.Context(), s.DSN)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Drop()
		db, err := d.Open(1, 2*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if ping, err := pingTime(t.Context(), db); err != nil || ping < 2000 {
			t.Errorf("%s: SELECT 1 takes %.0f µs, %v, want at least 2000", s.Name, ping, err)
		}
	}
}
