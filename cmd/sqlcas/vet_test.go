package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const vetFault = "-- name: SetBalance :execrows\nUPDATE account SET balance = ?, version = version + 1 WHERE id = ?;\n"

const vetClean = "-- name: GetBalance :one\nSELECT balance FROM account WHERE id = ?;\n"

const vetCode = `package bank

import "database/sql"

func wipe(db *sql.DB) error {
	_, err := db.Exec("DELETE FROM account WHERE id = ?", 1)
	return err
}
`

// sqlcas runs a command line and returns the exit code and what it printed.
func sqlcas(args ...string) (code int, out, complaints string) {
	var o, c strings.Builder
	code = run(args, &o, &c)
	return code, o.String(), c.String()
}

// folderOf makes a folder with files: name, text, name, text.
func folderOf(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(files[i+1]), 0o644))
	}
	return dir
}

const vetConfig = "version: \"2\"\nsql:\n  - {engine: mysql, schema: schema, queries: queries}\n"

// Ensures that the schema and the queries of sqlc.yaml are looked at, that the exit code says whether there are
// faults, and that files are named as seen from the working directory.
func TestVetReadsTheConfiguration(t *testing.T) {
	dir := folderOf(t, "db/sqlc.yaml", vetConfig, "db/schema/1.sql", accountText, "db/queries/a.sql", vetFault)
	t.Chdir(dir)
	code, out, complaints := sqlcas("vet", "-f", "db/sqlc.yaml")
	require.Equal(t, exitFound, code, complaints)
	require.Empty(t, complaints)
	require.Contains(t, out, "db/queries/a.sql:2:")
	require.Contains(t, out, "CAS001")
	require.True(t, strings.HasSuffix(out, "1 fault in 1 statement\n"), out)

	require.NoError(t, os.WriteFile("db/queries/a.sql", []byte(vetClean), 0o644))
	t.Chdir("db")
	code, out, complaints = sqlcas("vet")
	require.Equal(t, 0, code, complaints)
	require.Equal(t, "no faults in 1 statement\n", out)
}

// Ensures that vet works without sqlc, that Go code is checked against the schema, and that code which does not
// compile is an error.
func TestVetLooksAtGoCode(t *testing.T) {
	dir := folderOf(t, "schema/1.sql", accountText, "go.mod", "module bank\n\ngo 1.26.0\n", "bank.go", vetCode)
	t.Chdir(dir)
	code, out, complaints := sqlcas("vet", "--schema", "schema", "./...")
	require.Equal(t, exitFound, code, complaints)
	require.Contains(t, out, "bank.go:6:")
	require.Contains(t, out, "1 fault in 1 statement\n")

	require.NoError(t, os.WriteFile("bank.go", []byte(vetCode+"\nfunc broken() { missing() }\n"), 0o644))
	code, out, complaints = sqlcas("vet", "--schema", "schema", "./...")
	require.Equal(t, exitError, code)
	require.Empty(t, out)
	require.Contains(t, complaints, "missing")
}

// Ensures that -v gives the places of what was not understood, and that a schema without a version is told of.
func TestVetTellsWhatItDidNotCheck(t *testing.T) {
	dir := folderOf(t, "schema/1.sql", strings.Replace(accountText, " COMMENT 'sqlcas:version'", "", 1),
		"queries/a.sql", "-- name: Take :one\nDELETE FROM account WHERE id = ?\n  RETURNING balance;\n")
	t.Chdir(dir)
	args := []string{"vet", "--schema", "schema", "--queries", "queries"}
	code, out, complaints := sqlcas(append(args, "-v")...)
	require.Equal(t, 0, code, complaints)
	require.Equal(t, "queries/a.sql:2:1: not checked, this statement was not understood: near \"RETURNING balance\"\n"+
		"no faults in 1 statement; 1 statement was not understood; no table of the schema is versioned\n", out)

	_, out, _ = sqlcas(append(args, "--format", "json")...)
	var report struct {
		Unparsed []map[string]any `json:"unparsed"`
		Summary  map[string]any   `json:"summary"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Equal(t, []map[string]any{{
		"file": "queries/a.sql", "line": 2.0, "column": 1.0, "reason": "near \"RETURNING balance\"",
	}}, report.Unparsed)
	require.Equal(t, 0.0, report.Summary["versioned_tables"])
}

// Ensures that the other formats are written alone to the output, with the exit code of the text.
func TestVetFormats(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "schema/1.sql", accountText, "queries/a.sql", vetFault)
	for _, format := range []string{"json", "sarif"} {
		code, out, complaints := sqlcas("vet", "--format", format, "--schema", filepath.Join(dir, "schema"),
			"--queries", filepath.Join(dir, "queries"))
		require.Equal(t, exitFound, code, complaints)
		require.True(t, json.Valid([]byte(out)), out)
		require.Contains(t, out, "CAS001")
	}
}

// Ensures that the version columns which the plugin's options name count.
func TestVetReadsThePluginsOptions(t *testing.T) {
	t.Parallel()
	config := strings.Replace(configText, "options: {go: *go}", "options: {go: *go, tables: {account: {version: version}}}", 1)
	plain := strings.Replace(accountText, " COMMENT 'sqlcas:version'", "", 1)
	dir := folderOf(t, "sqlc.yaml", config, "schema/1.sql", plain, "more.sql", vetClean, "queries/a.sql", vetFault)
	code, out, complaints := sqlcas("vet", "-f", filepath.Join(dir, "sqlc.yaml"))
	require.Equal(t, exitFound, code, complaints)
	require.Contains(t, out, "CAS001")
}

// Ensures that what cannot be done is exit code 2 and a sentence that names the mend.
func TestVetSaysWhatItCannotDo(t *testing.T) {
	dir := folderOf(
		t, "schema/1.sql", accountText, "empty/readme.txt", "",
		"other/sqlc.yaml", strings.Replace(vetConfig, "mysql", "postgresql", 1),
	)
	t.Chdir(dir)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"vet"}, "--schema"},
		{[]string{"vet", "./..."}, "--schema"},
		{[]string{"vet", "-f", "nowhere.yaml"}, "nowhere.yaml"},
		{[]string{"vet", "-f", "other/sqlc.yaml"}, "postgresql"},
		{[]string{"vet", "--schema", "nowhere.sql"}, "nowhere.sql"},
		{[]string{"vet", "--schema", "empty"}, "no .sql file"},
		{[]string{"vet", "--queries", "schema"}, "--schema"},
		{[]string{"vet", "-f", "sqlc.yaml", "--schema", "schema"}, "-f"},
		{[]string{"vet", "--schema", "schema", "--format", "xml"}, "text, json or sarif"},
		{[]string{"vet", "--colour"}, "--colour"},
	} {
		code, out, complaints := sqlcas(c.args...)
		require.Equal(t, exitError, code, "%s: %s", c.args, out)
		require.Empty(t, out, "%s", c.args)
		require.Contains(t, complaints, c.want, "%s", c.args)
	}
}

// Ensures that the help has the exit codes and examples.
func TestVetHelp(t *testing.T) {
	t.Parallel()
	code, out, _ := sqlcas("vet", "--help")
	require.Equal(t, 0, code)
	for _, want := range []string{"Exit codes: 0 no faults, 1 faults found, 2 could not run", "sqlcas vet ./...", "--format", "sqlcas:allow", "locking reads whose handle is not known", "statements that were not understood"} {
		require.Contains(t, out, want)
	}
}
