package vet

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// wants finds the comments of fixtures that say which rules find something in a line, notKnown those that say
// that nobody knows what the locking read in it runs on.
var (
	wants    = regexp.MustCompile(`want((?: CAS\d+)+)`)
	notKnown = regexp.MustCompile(`// (not known)$`)
)

// planted returns what the comments of a folder's files say, as lines "file:line CAS004".
func planted(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	for place, rules := range marked(t, folder, wants) {
		for _, rule := range strings.Fields(rules) {
			all = append(all, place+" "+rule)
		}
	}
	return all
}

// marked returns what an expression finds in the lines of a folder's files, by "file:line".
func marked(t *testing.T, folder string, mark *regexp.Regexp) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(fixtures, folder, "*.go"))
	require.NoError(t, err)
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				all[fmt.Sprintf("%s/%s:%d", folder, filepath.Base(file), i+1)] = m[1]
			}
		}
	}
	return all
}

// sound is how many functions a folder has in which nothing is to be found: look-alikes, for the most part.
func sound(t *testing.T, folder string) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(fixtures, folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, function := range strings.Split(string(text), "\nfunc ")[1:] {
			if !wants.MatchString(function) {
				n++
			}
		}
	}
	return n
}

func linesOf(findings []sqlcheck.Finding, rules ...string) []string {
	var all []string
	for _, f := range findings {
		if slices.Contains(rules, f.Rule) {
			all = append(all, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Rule))
		}
	}
	return all
}

// Ensures that each planted fault in Go code is found at its line, and that nothing else is: the files have
// look-alikes of all kinds.
func TestFaultsInGoAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder     string
		rules      []string
		faults     int
		unknown    int
		statements int
		unparsed   int
	}{
		{folder: "cas004", rules: []string{"CAS004", "CAS001"}, faults: 28},
		{folder: "cas008", rules: []string{"CAS008"}, faults: 20},
		{folder: "fields", rules: []string{"CAS008"}, faults: 18},
		{folder: "built", rules: []string{"CAS028", "CAS029"}, faults: 20, unknown: 29},
		{folder: "text", rules: []string{"CAS001", "CAS028"}, faults: 12, unknown: 5, statements: 11, unparsed: 1},
		{folder: "libs", rules: []string{"CAS001", "CAS004", "CAS010"}, faults: 4, unknown: 1},
		{folder: "allow", rules: []string{"CAS001", "CAS004", "CAS008", "CAS029"}, faults: 10},
		{folder: "wrapped", rules: []string{"CAS001", "CAS004", "CAS008", "CAS011", "CAS028"}, faults: 20, unknown: 7},
	} {
		t.Run(c.folder, func(t *testing.T) {
			t.Parallel()
			report, err := Run(t.Context(), fixtureJob(t, "./"+c.folder+"/..."))
			require.NoError(t, err)
			want := planted(t, c.folder)
			for _, folder := range []string{"text/words", "fields/app"} {
				if strings.HasPrefix(folder, c.folder+"/") {
					want = append(want, planted(t, folder)...)
				}
			}
			require.GreaterOrEqual(t, len(want), cmp.Or(c.faults, 1), "planted faults")
			got := linesOf(report.Findings, c.rules...)
			t.Logf("Go, %-8s faults %3d of %3d, none in %3d functions without (%s)", c.folder, len(got), len(want),
				sound(t, c.folder), strings.Join(c.rules, ", "))
			require.ElementsMatch(t, want, got)
			require.Len(t, report.Unknown, c.unknown)
			if c.statements > 0 {
				require.Equal(t, c.statements, report.Statements)
				require.Len(t, report.Unparsed, c.unparsed)
			}
		})
	}
}

// Ensures that each locking read of which nobody knows what it runs on is told of, once, and no other: not those
// that surely run in a transaction.
func TestLocksOnHandlesThatAreNotKnown(t *testing.T) {
	t.Parallel()
	for folder, fewest := range map[string]int{"cas008": 5, "fields": 15, "wrapped": 2} {
		want := slices.Sorted(maps.Keys(marked(t, folder, notKnown)))
		require.GreaterOrEqual(t, len(want), fewest)
		for _, tests := range []bool{false, true} {
			job := fixtureJob(t, "./"+folder+"/...")
			job.Tests = tests
			report, err := Run(t.Context(), job)
			require.NoError(t, err)
			var got []string
			for _, p := range report.Locks {
				got = append(got, fmt.Sprintf("%s:%d", p.File, p.Line))
			}
			require.ElementsMatch(t, want, got)
		}
	}
}

// Ensures that what tests give to fields and parameters counts if tests are looked at, and only then: they see
// the package as another one.
func TestHandlesOfTests(t *testing.T) {
	t.Parallel()
	job := fixtureJob(t, "./rolled")
	report, err := Run(t.Context(), job)
	require.NoError(t, err)
	require.Len(t, linesOf(report.Findings, "CAS008"), 2)
	require.Empty(t, report.Locks)

	job.Tests = true
	report, err = Run(t.Context(), job)
	require.NoError(t, err)
	require.Empty(t, linesOf(report.Findings, "CAS008"))
	require.Len(t, report.Locks, 2)
}

// Ensures that a finding says which pool it means where the call does not name it.
func TestFindingsNameThePool(t *testing.T) {
	t.Parallel()
	report, err := Run(t.Context(), fixtureJob(t, "./rolled"))
	require.NoError(t, err)
	require.Contains(t, report.Findings[0].Message, "LockBalance locks rows on a pool of connections (the one of rolled/rolled.go:18), outside")

	report, err = Run(t.Context(), fixtureJob(t, "./cas008"))
	require.NoError(t, err)
	require.Contains(t, report.Findings[0].Message, "this statement locks rows on a pool of connections, outside")
	named := slices.DeleteFunc(report.Findings, func(f sqlcheck.Finding) bool { return !strings.Contains(f.Message, "the one of") })
	require.Len(t, named, 4, "those through a variable")
}
