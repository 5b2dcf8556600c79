package sqlcheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that an allow comment is read the same in SQL and in Go, with its signs and without, and that
// nothing else is one.
func TestParseAllow(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]struct {
		ids    []string
		reason string
	}{
		"-- sqlcas:allow CAS001 a repair":              {[]string{"CAS001"}, "a repair"},
		"--sqlcas:allow CAS001 a repair":               {[]string{"CAS001"}, "a repair"},
		"//sqlcas:allow CAS001 a repair":               {[]string{"CAS001"}, "a repair"},
		"// sqlcas:allow cas001\ta  repair ":           {[]string{"cas001"}, "a  repair"},
		"# sqlcas:allow CAS001,CAS002 a repair":        {[]string{"CAS001", "CAS002"}, "a repair"},
		"/* sqlcas:allow CAS001, CAS002 , CAS003 a */": {[]string{"CAS001", "CAS002", "CAS003"}, "a"},
		"sqlcas:allow CAS001 a, b":                     {[]string{"CAS001"}, "a, b"},
		"sqlcas:allow CAS001":                          {[]string{"CAS001"}, ""},
		"-- sqlcas:allow":                              {nil, ""},
		"-- sqlcas:allow ,":                            {nil, ""},
		"-- sqlcas:allow because":                      {[]string{"because"}, ""},
	} {
		ids, reason, ok := ParseAllow(comment)
		require.True(t, ok, comment)
		require.Equal(t, want.ids, ids, comment)
		require.Equal(t, want.reason, reason, comment)
	}
	for _, comment := range []string{"", "--", "-- see sqlcas:allow CAS001 a", "-- sqlcas:allowed CAS001 a", "-- sqlcas: allow CAS001 a", "-- SQLCAS:ALLOW CAS001 a"} {
		_, _, ok := ParseAllow(comment)
		require.False(t, ok, comment)
	}
}

// Ensures that a comment takes away its own rule's findings in its own statement, and nothing else.
func TestAllow(t *testing.T) {
	t.Parallel()
	src := Source{"test.sql", `-- name: A :exec
-- sqlcas:allow CAS001 a repair
UPDATE account SET balance = 1;
-- name: B :exec
UPDATE account SET balance = 1;
`}
	at := func(rule, file string, line int) Finding { return Finding{Rule: rule, File: file, Line: line} }
	findings := []Finding{
		at("CAS001", "test.sql", 3), at("CAS002", "test.sql", 3), at("CAS001", "test.sql", 5), at("CAS001", "other.sql", 3),
	}
	require.ElementsMatch(t, []Finding{
		at("CAS002", "test.sql", 3), at("CAS001", "test.sql", 5), at("CAS001", "other.sql", 3),
	}, Allow(src, Queries(src), findings))
	require.Len(t, findings, 4, "the caller's findings are as they were")
	require.Equal(t, at("CAS001", "test.sql", 3), findings[0])
}

// Ensures that a comment that allows nothing is a finding at the comment, and takes nothing away.
func TestAllow_faults(t *testing.T) {
	t.Parallel()
	src := Source{"test.sql", "-- sqlcas:allow CAS001\n-- sqlcas:allow CAS777 x\n-- sqlcas:allow CAS003 x\nDELETE FROM account;\n"}
	got := Allow(src, Queries(src), []Finding{{Rule: "CAS001", File: "test.sql", Line: 4}})
	require.Len(t, got, 4)
	for i, message := range []string{"CAS001 is allowed without a reason", "no rule CAS777", "CAS003 finds nothing"} {
		require.Equal(t, "CAS029", got[i].Rule)
		require.Equal(t, i+1, got[i].Line)
		require.Contains(t, got[i].Message, message)
	}
	require.Equal(t, "CAS001", got[3].Rule)
}

// Ensures that in a schema a comment is about its own line, or about the next line that is not a comment.
func TestAllowLines(t *testing.T) {
	t.Parallel()
	src := Source{"test.sql", `CREATE TABLE t (
  -- sqlcas:allow CAS006 it has always been one
  -- and it stays.
  version INT,
  other INT, -- sqlcas:allow CAS006 this one as well
  third INT
);`}
	at := func(line int) Finding { return Finding{Rule: "CAS006", File: "test.sql", Line: line} }
	require.Equal(t, []Finding{at(6)}, AllowLines(src, []Finding{at(4), at(5), at(6)}))

	behind := Source{"test.sql", "SELECT 1;\n-- sqlcas:allow CAS006 nothing follows"}
	require.Len(t, AllowLines(behind, nil), 1)
	none := Source{"test.sql", "SELECT '-- sqlcas:allow CAS006 x', 1"}
	require.Empty(t, AllowLines(none, nil))
}
