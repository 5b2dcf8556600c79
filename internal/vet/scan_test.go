package vet

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// wants finds the comments of fixtures that say which rules find something in a line.
var wants = regexp.MustCompile(`want((?: CAS\d+)+)`)

// planted returns what the comments of a folder's files say, as lines "file:line CAS004".
func planted(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(fixtures, folder, "*.go"))
	require.NoError(t, err)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			if m := wants.FindStringSubmatch(line); m != nil {
				for _, rule := range strings.Fields(m[1]) {
					all = append(all, fmt.Sprintf("%s/%s:%d %s", folder, filepath.Base(file), i+1, rule))
				}
			}
		}
	}
	return all
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
		{folder: "cas004", rules: []string{"CAS004", "CAS001"}, faults: 18},
		{folder: "cas008", rules: []string{"CAS008"}, faults: 20},
		{folder: "text", rules: []string{"CAS001"}, faults: 9, unknown: 8, statements: 11, unparsed: 1},
		{folder: "libs", rules: []string{"CAS001", "CAS004", "CAS010"}, faults: 4, unknown: 1},
		{folder: "allow", rules: []string{"CAS001", "CAS004", "CAS008", "CAS029"}, faults: 8},
	} {
		t.Run(c.folder, func(t *testing.T) {
			t.Parallel()
			report, err := Run(t.Context(), fixtureJob(t, "./"+c.folder+"/..."))
			require.NoError(t, err)
			want := planted(t, c.folder)
			if c.folder == "text" {
				want = append(want, planted(t, "text/words")...)
			}
			require.GreaterOrEqual(t, len(want), cmp.Or(c.faults, 1), "planted faults")
			require.ElementsMatch(t, want, linesOf(report.Findings, c.rules...))
			require.Len(t, report.Unknown, c.unknown)
			if c.statements > 0 {
				require.Equal(t, c.statements, report.Statements)
				require.Equal(t, c.unparsed, report.Unparsed)
			}
		})
	}
}
