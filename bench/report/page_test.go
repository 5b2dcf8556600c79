package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/bench/internal/paired"
	"github.com/sqlcas/sqlcas/internal/benchdb"
)

var update = flag.Bool("update", false, "write the golden page")

var twoServers = []benchdb.Server{
	{Name: "my", DSN: "root:secret@tcp(127.0.0.1:1)/"},
	{Name: "maria", DSN: "root:hidden@tcp(127.0.0.1:2)/"},
}

func made() *programs {
	return &programs{stores: 20_050, versions: map[string]string{"my": "9.7.4-2", "maria": "10.11.19-MariaDB-log"}}
}

// Ensures that the page has every target with its verdict, and everything that was printed: the golden page.
func TestPage(t *testing.T) {
	docs, told, err := measureAll(t, made())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(docs, pageName))
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "page.golden.md")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the page differs from %s (take it over by -update):\n%s", golden, got)
	}
	for file, want := range map[string]string{
		"my.svg": "my-curve.svg", "my-latency.svg": "my-hot-latency.svg", "maria.svg": "maria-curve.svg",
		"maria-latency.svg": "maria-hot-latency.svg", "backoff.svg": "backoff.svg",
	} {
		if got, err := os.ReadFile(filepath.Join(docs, pictures, file)); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", file, got, err, want)
		}
	}
	if !strings.Contains(told, "this takes about") || !strings.Contains(told, "kept in ") {
		t.Errorf("told: %s", told)
	}
}

// Ensures that a server's address is never an argument, where everybody could read its password.
func TestAddressesGoByTheEnvironment(t *testing.T) {
	p := made()
	if _, _, err := measureAll(t, p); err != nil {
		t.Fatal(err)
	}
	servers := map[string]int{}
	for _, cmd := range p.ran {
		if strings.Contains(strings.Join(cmd.Args, " "), "@tcp") {
			t.Errorf("got %q", cmd.Args)
		}
		for _, s := range twoServers {
			if slices.Contains(cmd.Env, "SQLCAS_DSN="+s.DSN) {
				servers[s.Name]++
			}
		}
	}
	if jobs := len(planned(false).jobs); servers["my"] != jobs || servers["maria"] != jobs {
		t.Errorf("got %v, want %d runs on each", servers, jobs)
	}
}

// Ensures that a program which fails, as it does when an update was lost, leaves the page as it was.
func TestAFailureLeavesThePage(t *testing.T) {
	for _, name := range []string{"go", "harness", "store", "sqlcas"} {
		p := made()
		p.fails = name
		docs, _, err := measureAll(t, p)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "no page is written") {
			t.Errorf("%s: got %v", name, err)
		}
		if left, err := os.ReadDir(docs); err != nil || len(left) > 0 {
			t.Errorf("%s: got %v, %v, want nothing", name, left, err)
		}
	}
}

// Ensures that an interruption is said to be one, and leaves the page as it was.
func TestAnInterruptionLeavesThePage(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	docs := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := func(*exec.Cmd) error { cancel(); return errors.New("signal: interrupt") }
	err := run(ctx, []string{"-out", docs}, twoServers, io.Discard, io.Discard, interrupted)
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(docs); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing", left, err)
	}
}

// Ensures that a caller who has had nothing is no fair share, whatever the others have had.
func TestNothingIsNotFair(t *testing.T) {
	t.Parallel()
	r := report{Cells: []cell{{Results: []result{{Strategy: store, Rates: paired.Sample{1}, Most: 1}}}}}
	got, err := fairness(four)(outcome{}, measured{Runs: map[string]hotRun{four: {Report: r}}})
	if err != nil {
		t.Fatal(err)
	}
	limits := target{atMost: true}
	if text, _, met := limits.verdict(got, 1.3); met || text != "∞, **missed**" {
		t.Errorf("got %q, %v", text, met)
	}
}

// Ensures that a number which is missing is an error, and not a target that is met.
func TestAMissingNumberIsAnError(t *testing.T) {
	p := made()
	p.stores = 0
	if _, _, err := measureAll(t, p); err != nil {
		t.Errorf("a Store that did nothing: got %v, want it on the page", err)
	}
	for _, target := range targets() {
		if _, err := target.got(outcome{}, measured{Name: "my"}); err == nil {
			t.Errorf("%s, %s: got no error", target.work, target.what)
		}
	}
}

// Ensures that a trial says that it is one, and leaves the folder of the pages alone.
func TestATrialIsMarked(t *testing.T) {
	docs, told, err := measureAll(t, made(), "-quick")
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(docs); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing", left, err)
	}
	_, path, _ := strings.Cut(told, "report: wrote ")
	text, err := os.ReadFile(strings.TrimSpace(path))
	if err != nil || !strings.Contains(string(text), "**A trial:") {
		t.Errorf("got %v and\n%s", err, text)
	}
}

// Ensures that a verdict is of the median before it is rounded, and that some targets are limits.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		got    paired.Sample
		limit  float64
		atMost bool
		want   string
	}{
		{paired.Sample{30}, 30, false, "30.0, met"},
		{paired.Sample{29.99}, 30, false, "30.0, **missed**"},
		{paired.Sample{1, 31, 40}, 30, false, "31.0 [31.0, 40.0], met"},
		{paired.Sample{3}, 3, true, "3.0, met"},
		{paired.Sample{3.01}, 3, true, "3.0, **missed**"},
		{paired.Sample{1_234_567.8}, 0, false, "1,234,567.8"},
	} {
		target := target{atMost: tc.atMost, decimals: 1}
		if got, _, _ := target.verdict(tc.got, tc.limit); got != tc.want {
			t.Errorf("%v of %v: got %q, want %q", tc.got, tc.limit, got, tc.want)
		}
	}
}

// Ensures that without a server, or with something that is no flag, it says what to do.
func TestUsage(t *testing.T) {
	t.Parallel()
	never := made()
	for want, err := range map[string]error{
		"withdb":            run(t.Context(), nil, nil, io.Discard, io.Discard, never.start),
		"takes flags":       run(t.Context(), []string{"mysql97"}, twoServers, io.Discard, io.Discard, never.start),
		"flag provided but": run(t.Context(), []string{"-slow"}, twoServers, io.Discard, io.Discard, never.start),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if len(never.ran) > 0 {
		t.Errorf("it ran %v", never.ran)
	}
}
