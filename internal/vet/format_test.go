package vet

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// sample is a report with all that a format has to cope with: tabs, wide and combining characters, a fault at the
// end of a line, names that are no plain URI.
func sample() Report {
	queries := sqlcheck.Source{Name: "db/my queries/a:b#1.sql", Text: "-- name: Set :execrows\nUPDATE account\n\tSET owner = '世界 é',\tversion = 1\r\nWHERE id = ? AND version >= ?"}
	code := sqlcheck.Source{Name: "/src/store.go", Text: "\t_, err := q.Deduct(ctx, arg) // <&>\n"}
	span := func(src sqlcheck.Source, text string) sqlcheck.Span {
		at := strings.Index(src.Text, text)
		return sqlcheck.Span{Start: at, End: at + len(text)}
	}
	return Report{
		Findings: []sqlcheck.Finding{
			code.At("CAS004", span(code, "_"), "nobody looks at the number of rows that Deduct wrote", "let optimistic.One have both results"),
			queries.At("CAS003", span(queries, "version = 1"), "the version is set to 1", "write version = version + 1"),
			queries.At("CAS001", span(queries, "version >= ?"), "this write compares with >=", "write AND version = ?"),
		},
		Statements: 41, Files: 3, Packages: 2, Versioned: 2,
		Unparsed: []Unparsed{{Position{"db/my queries/a:b#1.sql", 9, 1}, `near "RETURNING id"`}},
		Unknown:  []Position{{"store.go", 12, 24}, {"store.go", 90, 3}},
		Locks:    []Position{{"store.go", 31, 9}},
	}
}

func written(t *testing.T, write func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, write(&b))
	return b.String()
}

// Ensures that the text has each fault with a caret under it, and a summary as its last line.
func TestText(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/report.txt", written(t, func(b *strings.Builder) error { return sample().Text(b, false) }))
	golden(t, "testdata/report_verbose.txt", written(t, func(b *strings.Builder) error { return sample().Text(b, true) }))
}

// Ensures that the summary says how much was looked at and what was not, in good English.
func TestSummary(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Report{
		"no faults in 0 statements; no table of the schema is versioned": {},
		"no faults in 1 statement":                                       {Statements: 1, Versioned: 1},
		"1 fault in 2 statements; 1 statement was not understood; 1 string built at run time was not checked": {
			Findings: make([]sqlcheck.Finding, 1), Statements: 2, Unparsed: make([]Unparsed, 1), Unknown: make([]Position, 1), Versioned: 1,
		},
		"3 faults in 41 statements; 2 strings built at run time were not checked; it is not known what 2 locking reads run on": {
			Findings: make([]sqlcheck.Finding, 3), Statements: 41, Unknown: make([]Position, 2), Locks: make([]Position, 2), Versioned: 1,
		},
		"no faults in 1 statement; it is not known what 1 locking read runs on": {Statements: 1, Locks: make([]Position, 1), Versioned: 1},
	} {
		require.Equal(t, want, r.Summary())
	}
}

// Ensures that the caret stands under the fault whatever the characters before and in it, and keeps tabs.
func TestCaretStandsUnderTheFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, fault, want string }{
		{"start of a line", "UPDATE account", "UPDATE", "^~~~~~"},
		{"one character", "a = b", "b", "    ^"},
		{"tabs", "\t a\tversion", "version", "\t  \t^~~~~~~"},
		{"wide characters before", "世界 = version", "version", "       ^~~~~~~"},
		{"wide characters in it", "x = 世界;", "世界", "    ^~~~"},
		{"full width", "ｘ = y", "y", "     ^"},
		{"combining characters take no place", "e\u0301 = y", "y", "    ^"},
		{"a fault that goes on in the next line", "a = (b\n)", "(b\n)", "    ^~"},
		{"a long line, of which a part is shown", strings.Repeat("x", 300) + "FAULT", "FAULT", strings.Repeat(" ", 195) + "^~~~~"},
	} {
		src := sqlcheck.Source{Text: c.text}
		at := strings.Index(c.text, c.fault)
		f := src.At("CAS001", sqlcheck.Span{Start: at, End: at + len(c.fault)}, "", "")
		require.Equal(t, c.want, caret(f), c.name)
	}
}

// Ensures that the JSON keeps its shape, with lists that are empty rather than null.
func TestJSON(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/report.json", written(t, func(b *strings.Builder) error { return sample().JSON(b) }))
	empty := written(t, func(b *strings.Builder) error { return Report{}.JSON(b) })
	require.Contains(t, empty, `"findings": [],`)
	require.Contains(t, empty, `"unknown": [],`)
	require.Contains(t, empty, `"locks": [],`)
	require.Contains(t, empty, `"unparsed": [],`)
}

// Ensures that the SARIF has what the standard requires, that results point to their rules, and that columns are
// counted as the log says. The texts of the rules are not held: they are in docs/rules.md.
func TestSARIF(t *testing.T) {
	t.Parallel()
	var log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string           `json:"name"`
					Rules []map[string]any `json:"rules"`
				} `json:"driver"`
			} `json:"tool"`
			ColumnKind string           `json:"columnKind"`
			Results    []map[string]any `json:"results"`
		} `json:"runs"`
	}
	text := written(t, func(b *strings.Builder) error { return sample().SARIF(b) })
	require.NoError(t, json.Unmarshal([]byte(text), &log))
	require.Equal(t, "2.1.0", log.Version)
	require.Contains(t, log.Schema, "sarif-2.1.0")
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	require.Equal(t, "sqlcas", run.Tool.Driver.Name)
	require.Equal(t, "unicodeCodePoints", run.ColumnKind)

	seen := map[any]bool{}
	for _, rule := range run.Tool.Driver.Rules {
		require.Regexp(t, `^CAS\d{3}$`, rule["id"])
		require.Regexp(t, `^[A-Z][A-Za-z0-9]+$`, rule["name"], "an identifier: %s", rule["id"])
		require.False(t, seen[rule["id"]], "%s is there twice", rule["id"])
		seen[rule["id"]] = true
		for _, field := range []string{"shortDescription", "fullDescription", "help"} {
			require.NotEmpty(t, rule[field].(map[string]any)["text"], "%s of %s", field, rule["id"])
		}
	}
	require.Len(t, run.Results, 3)
	for _, r := range run.Results {
		require.Equal(t, run.Tool.Driver.Rules[int(r["ruleIndex"].(float64))]["id"], r["ruleId"])
		r["ruleIndex"] = 0 // moves with each new rule
	}
	golden(t, "testdata/report.sarif", written(t, func(b *strings.Builder) error { return writeJSON(b, run.Results) }))

	empty := written(t, func(b *strings.Builder) error { return Report{}.SARIF(b) })
	require.Contains(t, empty, `"results": []`)
}

// Ensures that a finding of a rule that is not registered is refused instead of pointing to another one.
func TestSARIFRefusesUnknownRules(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := Report{Findings: []sqlcheck.Finding{{Rule: "CAS999"}}}
	require.ErrorContains(t, r.SARIF(&b), "CAS999")
}
