package vet

import (
	"context"
	"fmt"
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
	require.Equal(t, 1, report.Unparsed)
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
