package sqlcheck

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere are the rules that look at Go code: no SQL can show them.
var elsewhere = []string{"CAS008"}

// fewest is how many cases with a fault, and how many without, a rule must have.
const fewest = 5

// ruleCase is one case of testdata/rules/CASnnn.sql. It begins with a line `-- case: name`, after which
// the text up to the next such line is sqlc queries against testdata/rules/schema.sql. `(schema)` after
// the name makes the text a schema, `(prepared)` has sqlc emit prepared queries. A line that ends with
// ` -- want` must have a finding of the rule that the file is named after, and no other line may.
type ruleCase struct {
	name, mode string
	source     Source // its lines have the numbers that they have in the file; no ` -- want` is left
	wants      []int
}

var caseHead = regexp.MustCompile(`^-- case: (.*?)(?: \((schema|prepared)\))?$`)

func readCases(t *testing.T, path string) []ruleCase {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var cases []ruleCase
	for i, line := range strings.Split(string(text), "\n") {
		if head := caseHead.FindStringSubmatch(line); head != nil {
			cases = append(cases, ruleCase{head[1], head[2], Source{filepath.Base(path), strings.Repeat("\n", i+1)}, nil})
			continue
		}
		if len(cases) == 0 {
			continue
		}
		c := &cases[len(cases)-1]
		bare, want := strings.CutSuffix(line, " -- want")
		if want {
			c.wants = append(c.wants, i+1)
		}
		c.source.Text += bare + "\n"
	}
	return cases
}

func testCatalog(t testing.TB) *Catalog {
	t.Helper()
	const path = "testdata/rules/schema.sql"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return ReadSchema([]Source{{path, string(text)}}, nil)
}

// checkText has all rules look at a text, the way that its mode says.
func checkText(c *Catalog, src Source, mode string) []Finding {
	if mode == "schema" {
		own := ReadSchema([]Source{src}, nil)
		return AllowLines(src, Sort(append(CheckSchema(own), own.Unparsed...)))
	}
	statements := Queries(src)
	return Allow(src, statements, CheckQueries(Input{Catalog: c, Prepared: mode == "prepared"}, statements))
}

// listed are findings as text, one a line.
func listed(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s %s; %s\n", f.File, f.Line, f.Column, f.Rule, f.Message, f.Mend)
	}
	return b.String()
}

// linesOf are the lines that have a finding of a rule.
func linesOf(findings []Finding, rule string) []int {
	var lines []int
	for _, f := range findings {
		if f.Rule == rule {
			lines = append(lines, f.Line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

type score struct{ found, planted, silent, alike int }

func (s *score) add(other score) {
	s.found += other.found
	s.planted += other.planted
	s.silent += other.silent
	s.alike += other.alike
}

func (s score) String() string {
	return fmt.Sprintf("faults %3d of %3d   look-alikes %3d of %3d   %5.1f %%", s.found, s.planted, s.silent, s.alike,
		100*float64(s.found+s.silent)/float64(max(s.planted+s.alike, 1)))
}

// Ensures that each rule finds every planted fault at its line, and is silent about what only looks like
// one. The table of scores is the test's log.
func TestRules_cases(t *testing.T) {
	t.Parallel()
	catalog, all := testCatalog(t), Rules()
	scores := make([]score, len(all))
	t.Run("of", func(t *testing.T) {
		for i, r := range all {
			if slices.Contains(elsewhere, r.ID) {
				continue
			}
			t.Run(r.ID, func(t *testing.T) {
				t.Parallel()
				scores[i] = scoreRule(t, catalog, r.ID)
			})
		}
	})
	var total score
	for i, r := range all {
		if !slices.Contains(elsewhere, r.ID) {
			t.Logf("%s  %s  %s", r.ID, scores[i], r.Title)
			total.add(scores[i])
		}
	}
	t.Logf("total   %s", total)
}

func scoreRule(t *testing.T, catalog *Catalog, id string) (s score) {
	faulty, clean := 0, 0
	for _, c := range readCases(t, "testdata/rules/"+id+".sql") {
		findings := checkText(catalog, c.source, c.mode)
		got := linesOf(findings, id)
		if !slices.Equal(c.wants, got) {
			t.Errorf("case %q: want findings at lines %v of the file, got %v\n%s", c.name, c.wants, got, listed(findings))
		}
		if len(c.wants) == 0 {
			clean++
			s.alike++
			if len(got) == 0 {
				s.silent++
			}
			continue
		}
		faulty++
		s.planted += len(c.wants)
		for _, line := range c.wants {
			if slices.Contains(got, line) {
				s.found++
			}
		}
	}
	if faulty < fewest || clean < fewest {
		t.Errorf("%d cases with a fault and %d without: a rule needs %d of each", faulty, clean, fewest)
	}
	return s
}

// Ensures that what `sqlcas explain` shows of a rule is complete and true: the rule finds its bad example,
// and no rule finds anything in the good one.
func TestRules_examples(t *testing.T) {
	t.Parallel()
	catalog := testCatalog(t)
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			for what, text := range map[string]string{
				"title": r.Title, "why": r.Why, "mend": r.Mend, "bad example": r.Bad, "good example": r.Good,
			} {
				require.NotEmpty(t, text, what)
			}
			require.Contains(t, []string{"sql", "go"}, r.Lang)
			if r.Lang == "go" {
				return
			}
			require.NotEmpty(t, linesOf(checkText(catalog, Source{"bad.sql", r.Bad}, modeOf(r, r.Bad)), r.ID), "the bad example is not found")
			require.Empty(t, listed(checkText(catalog, Source{"good.sql", r.Good}, modeOf(r, r.Good))), "the good example is found")
		})
	}
}

// modeOf says how an example is to be read: a rule about prepared queries needs the setting too.
func modeOf(r Rule, text string) string {
	switch {
	case strings.HasPrefix(text, "CREATE"):
		return "schema"
	case r.ID == "CAS025":
		return "prepared"
	}
	return ""
}

// Ensures that an ID names one rule, and that RuleOf finds it in any case.
func TestRules_ids(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules() {
		require.Regexp(t, `^CAS\d{3}$`, r.ID)
		require.False(t, seen[r.ID], "%s is there twice", r.ID)
		seen[r.ID] = true
		got, ok := RuleOf(strings.ToLower(r.ID))
		require.True(t, ok)
		require.Equal(t, r.Title, got.Title)
	}
	_, ok := RuleOf("CAS999")
	require.False(t, ok)
}

// Ensures that no text makes a rule panic, as queries or as a schema, and that findings stay inside of it.
func FuzzCheck(f *testing.F) {
	paths, err := filepath.Glob("testdata/rules/*.sql")
	require.NoError(f, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		for _, part := range strings.Split(string(text), "\n\n") {
			f.Add(part)
		}
	}
	catalog := testCatalog(f)
	f.Fuzz(func(t *testing.T, text string) {
		src := Source{"fuzz.sql", text}
		findings := slices.Concat(checkText(catalog, src, ""), checkText(catalog, src, "prepared"), checkText(catalog, src, "schema"))
		lines := strings.Count(text, "\n") + 1
		for _, found := range findings {
			require.NotEmpty(t, found.Message)
			require.True(t, found.Line >= 1 && found.Line <= lines && found.Column >= 1 && found.Length >= 1, "%+v", found)
		}
	})
}
