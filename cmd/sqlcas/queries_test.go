package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const configText = `
version: "2"
plugins:
  - {name: sqlcas, process: {cmd: sqlcas, format: json}}
sql:
  - engine: mysql
    schema: schema
    queries: [more.sql, queries]
    gen:
      go: &go {package: bank, out: bank}
    codegen:
      - plugin: sqlcas
        out: bank
        options: {go: *go}
`

const accountText = `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  balance BIGINT          NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
`

// project is a folder with a sqlc configuration.
type project struct {
	t   *testing.T
	dir string
}

func newProject(t *testing.T, files ...string) project {
	p := project{t, t.TempDir()}
	p.write("sqlc.yaml", configText)
	p.write("schema/account.sql", accountText)
	p.write("more.sql", "")
	require.NoError(t, os.Mkdir(filepath.Join(p.dir, "queries"), 0o755))
	for i := 0; i < len(files); i += 2 {
		p.write(files[i], files[i+1])
	}
	return p
}

func (p project) write(name, text string) {
	path := filepath.Join(p.dir, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p.t, os.WriteFile(path, []byte(text), 0o644))
}

func (p project) read(name string) string {
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	require.NoError(p.t, err)
	return string(text)
}

// queries runs `sqlcas queries` and returns the exit code and what it printed.
func (p project) queries(args ...string) (code int, out, complaints string) {
	var o, c strings.Builder
	code = run(append([]string{"queries", "-f", filepath.Join(p.dir, "sqlc.yaml")}, args...), &o, &c)
	return code, o.String(), c.String()
}

// Ensures that the queries of a versioned table are written, that a second run writes nothing, and that
// --check tells whether one would.
func TestQueriesAreWrittenOnce(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	code, out, complaints := p.queries("--check")
	require.Equal(t, exitFound, code, "%s%s", out, complaints)
	require.Contains(t, out, "account.cas.sql")
	require.NoFileExists(t, filepath.Join(p.dir, "queries/account.cas.sql"))

	code, out, complaints = p.queries()
	require.Zero(t, code, "%s%s", out, complaints)
	require.Contains(t, out, "wrote ")
	text := p.read("queries/account.cas.sql")
	require.True(t, strings.HasPrefix(text, generatedMark), text)
	require.Contains(t, text, "-- name: SwapAccount :execrows")

	code, out, complaints = p.queries("--check")
	require.Zero(t, code, "%s%s", out, complaints)
	code, out, _ = p.queries()
	require.Zero(t, code)
	require.Empty(t, out)
}

// Ensures that nothing that somebody has written by hand is lost: not a file of the same name, and no
// query of the same name.
func TestQueriesLeaveWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	const mine = "-- name: Mine :one\nSELECT 1;\n"
	p := newProject(t, "queries/account.cas.sql", mine)
	code, _, complaints := p.queries()
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "account.cas.sql is not written by sqlcas")
	require.Equal(t, mine, p.read("queries/account.cas.sql"))

	p = newProject(t, "more.sql", "-- name: Other :one\nSELECT 1;\n\n-- name: SwapAccount :exec\nSELECT 2;\n")
	code, out, _ := p.queries()
	require.Equal(t, exitFound, code)
	require.Contains(t, out, "more.sql:4:10: ")
	require.Contains(t, out, "SwapAccount")
	require.NoFileExists(t, filepath.Join(p.dir, "queries/account.cas.sql"))
}

// Ensures that the queries of a table that is not versioned any more go, and only those.
func TestQueriesOfATableThatIsNotVersionedAnyMoreGo(t *testing.T) {
	t.Parallel()
	p := newProject(t, "queries/mine.cas.sql", "-- name: Mine :one\nSELECT 1;\n")
	code, out, complaints := p.queries()
	require.Zero(t, code, "%s%s", out, complaints)
	p.write("schema/account.sql", strings.Replace(accountText, "sqlcas:version", "", 1))
	code, out, complaints = p.queries()
	require.Zero(t, code, "%s%s", out, complaints)
	require.Contains(t, out, "removed ")
	require.NoFileExists(t, filepath.Join(p.dir, "queries/account.cas.sql"))
	require.FileExists(t, filepath.Join(p.dir, "queries/mine.cas.sql"))
}

// Ensures that a table is not taken for gone, and its queries removed, because a statement of the schema is not
// understood.
func TestQueriesKeepWhatTheyDoNotUnderstand(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	code, _, _ := p.queries()
	require.Zero(t, code)
	p.write("schema/account.sql", strings.Replace(accountText, "BIGINT          NOT NULL,", "NONSENSE FOO,", 1))
	code, out, _ := p.queries()
	require.Equal(t, exitFound, code)
	require.Contains(t, out, "account.sql:1:")
	require.FileExists(t, filepath.Join(p.dir, "queries/account.cas.sql"))
}

// Ensures that two blocks do not remove each other's files, and that files go where sqlc reads them.
func TestQueriesGoToAFolderOfTheirBlock(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	block := configText[strings.Index(configText, "  - engine"):]
	p.write("sqlc.yaml", configText+strings.Replace(block, "&go", "&two", 1))
	code, _, complaints := p.queries()
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "two sql blocks write to")

	p = newProject(t, "other/x.sql", "")
	p.write("sqlc.yaml", strings.Replace(configText, "go: *go", "go: *go, queries: other", 1))
	code, _, complaints = p.queries()
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "not among the block's queries")
	p.write("sqlc.yaml", strings.NewReplacer("go: *go", "go: *go, queries: other", "[more.sql, queries]", `[more.sql, "other/*.sql"]`).
		Replace(configText))
	code, out, complaints := p.queries()
	require.Zero(t, code, "%s%s", out, complaints)
	require.FileExists(t, filepath.Join(p.dir, "other/account.cas.sql"))
}

// Ensures that a schema in which nothing is versioned is said to be one.
func TestQueriesSayThatNothingIsVersioned(t *testing.T) {
	t.Parallel()
	p := newProject(t, "schema/account.sql", strings.Replace(accountText, "sqlcas:version", "the version", 1))
	code, out, _ := p.queries()
	require.Zero(t, code)
	require.Contains(t, out, "no column of the schema has the comment sqlcas:version")
}

// Ensures that a schema with faults, and a configuration that cannot be used, are refused with the place
// and the mend, and that nothing is written.
func TestQueriesRefuse(t *testing.T) {
	t.Parallel()
	p := newProject(t, "schema/account.sql", strings.Replace(accountText, "BIGINT UNSIGNED NOT NULL DEFAULT 1", "DATETIME NULL", 1))
	code, out, _ := p.queries()
	require.Equal(t, exitFound, code)
	require.Contains(t, out, "account.sql:4:3: CAS006")
	require.Contains(t, out, "mend: ")

	p = newProject(t, "sqlc.yaml", strings.Replace(configText, "go: *go", "tables: {}", 1))
	code, _, complaints := p.queries()
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "go: *go")

	p = newProject(t, "sqlc.yaml", configText+"overrides: {go: {rename: {balance: Money}}}\n")
	code, _, complaints = p.queries()
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "overrides: *overrides")

	p = newProject(t, "sqlc.yaml", strings.Replace(configText, "go: *go", "go: *go, queries: nowhere", 1))
	code, _, complaints = p.queries()
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "nowhere")

	p = newProject(t, "sqlc.yaml", configText[:strings.Index(configText, "    codegen")])
	code, _, complaints = p.queries()
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "docs/generator.md")
}
