package vet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

const accountTable = `CREATE TABLE account (
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  balance BIGINT NOT NULL,
  version BIGINT UNSIGNED NOT NULL COMMENT 'sqlcas:version'
);
`

func file(name, text string) []sqlcheck.Source { return []sqlcheck.Source{{Name: name, Text: text}} }

// Ensures that schema, queries and their allow comments are looked at, in order of place, and counted.
func TestRunLooksAtFiles(t *testing.T) {
	t.Parallel()
	queries := `-- name: Faulty :execrows
UPDATE account SET balance = 0, version = version + 1 WHERE id = ?;

-- name: Allowed :execrows
-- sqlcas:allow CAS001 the backfill is alone
UPDATE account SET balance = 0, version = version + 1 WHERE id = ?;

-- name: Foreign :exec
UPDATE other SET x = x RETURNING x;
`
	nullable := "CREATE TABLE stock (\n  id INT NOT NULL PRIMARY KEY,\n  version INT COMMENT 'sqlcas:version'\n);\n"
	allowed := strings.Replace(strings.Replace(nullable, "stock", "goods", 1), "  version", "  -- sqlcas:allow CAS006 until the next release\n  version", 1)
	report, err := Run(t.Context(), Job{Blocks: []Block{{
		Schema:  append(file("1.sql", accountTable), append(file("2.sql", nullable), file("3.sql", allowed)...)...),
		Queries: file("queries.sql", queries),
	}}})
	require.NoError(t, err)
	require.Equal(t, []string{"2.sql:3 CAS006", "queries.sql:2 CAS001"}, linesOf(report.Findings, "CAS001", "CAS006", "CAS029"))
	require.Equal(t, 3, report.Statements)
	require.Equal(t, []Unparsed{{Position{"queries.sql", 9, 1}, `near "RETURNING x"`}}, report.Unparsed)
	require.Equal(t, 3, report.Versioned)
	require.Equal(t, 4, report.Files)
	require.Zero(t, report.Packages)
}

// Ensures that each block has its own tables: what is versioned in one is not in another.
func TestBlocksHaveTheirOwnTables(t *testing.T) {
	t.Parallel()
	plain := strings.Replace(accountTable, " COMMENT 'sqlcas:version'", "", 1)
	query := "-- name: Set :exec\nUPDATE account SET balance = 0 WHERE id = ?;\n"
	report, err := Run(t.Context(), Job{Blocks: []Block{
		{Schema: file("a.sql", accountTable), Queries: file("qa.sql", query)},
		{Schema: file("b.sql", plain), Queries: file("qb.sql", query)},
		{Schema: file("c.sql", plain), Queries: file("qc.sql", query), Versions: sqlcheck.Versions{"account": "version"}},
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"qa.sql:2 CAS001", "qc.sql:2 CAS001"}, linesOf(report.Findings, "CAS001"))
}

// Ensures that a version that the schema does not have is refused: nothing would be found in its table.
func TestVersionsMustExist(t *testing.T) {
	t.Parallel()
	for want, versions := range map[string]sqlcheck.Versions{
		"no such table":  {"acount": "version"},
		"no such column": {"account": "revision"},
	} {
		_, err := Run(t.Context(), Job{Blocks: []Block{{Schema: file("a.sql", accountTable), Versions: versions}}})
		require.ErrorContains(t, err, want)
	}
}

// Ensures that packages without a database are left alone, that generated files are, and that tests are looked
// at only on demand.
func TestWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	report, err := Run(t.Context(), fixtureJob(t, "./quiet", "./shop", "./tested"))
	require.NoError(t, err)
	require.Empty(t, linesOf(report.Findings, "CAS001", "CAS004"))
	require.Equal(t, 2, report.Packages, "tested, and shop for its file that is written by hand")
	require.Len(t, report.Unknown, 1)

	job := fixtureJob(t, "./tested")
	job.Tests = true
	report, err = Run(t.Context(), job)
	require.NoError(t, err)
	require.Equal(t, []string{"tested/tested_test.go:10 CAS001"}, linesOf(report.Findings, "CAS001"))
	require.Equal(t, 2, report.Statements)
	require.Len(t, report.Unknown, 1, "each file is looked at once")
	require.Equal(t, 3, report.Files, "the schema, and each Go file once")
	require.Equal(t, 1, report.Packages, "with its tests")
}

// Ensures that code which does not compile is an error with its place, and that an ended context is one.
func TestRunSaysWhatItCannotDo(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), fixtureJob(t, "./testdata/broken"))
	require.ErrorContains(t, err, "broken.go:9")
	_, err = Run(t.Context(), fixtureJob(t, "./nowhere"))
	require.ErrorContains(t, err, "nowhere")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Run(ended, fixtureJob(t, "./text"))
	require.ErrorIs(t, err, context.Canceled)
}

// Ensures that what does not compile is told once, though the compiler, the type checker and the tests' variant of
// the package all say it.
func TestFaultsOfCompilationAreToldOnce(t *testing.T) {
	t.Parallel()
	for _, tests := range []bool{false, true} {
		job := fixtureJob(t, "./testdata/broken")
		job.Tests = tests
		_, err := Run(t.Context(), job)
		require.ErrorContains(t, err, "broken.go:9")
		require.Equal(t, 1, strings.Count(err.Error(), "broken.go:9"), err.Error())
		require.NotContains(t, err.Error(), "# ")
	}
}

// Ensures that a byte order mark is no column and a carriage return no part of a line, in SQL files and Go files.
func TestFilesOfOtherEditors(t *testing.T) {
	t.Parallel()
	windows := func(text string) string { return "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n") }
	report, err := Run(t.Context(), Job{Blocks: []Block{{
		Schema:  file("schema.sql", windows(accountTable)),
		Queries: file("queries.sql", windows("DELETE FROM account;\nUPDATE account SET balance = 1\nWHERE id = (\n1);\n")),
	}}})
	require.NoError(t, err)
	require.Equal(t, 1, report.Versioned)

	job := fixtureJob(t, "./...")
	job.Dir = t.TempDir()
	code := "package windows; import \"database/sql\"; func f(db *sql.DB) { db.Exec(\"DELETE FROM account\") }\n\n" +
		"func g(db *sql.DB) {\n\tdb.Exec(`UPDATE account SET balance = 1\n\t\tWHERE id = (\n1)`)\n\tdb.Exec(\"DELETE FROM account\")\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(job.Dir, "go.mod"), []byte("module windows\n\ngo 1.26.0\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(job.Dir, "windows.go"), []byte(windows(code)), 0o644))
	inGo, err := Run(t.Context(), job)
	require.NoError(t, err)
	var got []string
	for _, f := range append(report.Findings, inGo.Findings...) {
		require.NotContains(t, f.Excerpt, "\r")
		require.NotContains(t, f.Excerpt, byteOrderMark)
		require.LessOrEqual(t, f.Column+f.Length-1, len([]rune(f.Excerpt)), f)
		got = append(got, fmt.Sprintf("%s:%d:%d %s %s", f.File, f.Line, f.Column, f.Rule, string([]rune(f.Excerpt)[f.Column-1:][:f.Length])))
	}
	require.Equal(t, []string{
		"queries.sql:1:13 CAS001 account", "queries.sql:1:13 CAS007 account",
		"queries.sql:2:8 CAS002 account", "queries.sql:3:7 CAS001 id = (",
		"windows.go:1:83 CAS001 account", "windows.go:1:83 CAS007 account",
		"windows.go:4:18 CAS002 account", "windows.go:5:9 CAS001 id = (",
		"windows.go:7:23 CAS001 account", "windows.go:7:23 CAS007 account",
	}, got)
}

// BenchmarkVet2000 looks at 2,000 queries in 100 files; it must take less than 2 s.
func BenchmarkVet2000(b *testing.B) {
	var queries []sqlcheck.Source
	for i := range 100 {
		var text strings.Builder
		for j := range 20 {
			fmt.Fprintf(&text, "-- name: Set%d_%d :execrows\nUPDATE account SET balance = sqlc.arg(balance), version = version + 1\n"+
				"WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);\n\n", i, j)
		}
		queries = append(queries, sqlcheck.Source{Name: fmt.Sprintf("%d.sql", i), Text: text.String()})
	}
	job := Job{Blocks: []Block{{Schema: file("schema.sql", accountTable), Queries: queries}}}
	for b.Loop() {
		report, err := Run(b.Context(), job)
		require.NoError(b, err)
		require.Equal(b, 2000, report.Statements)
		require.Empty(b, report.Findings)
	}
}
