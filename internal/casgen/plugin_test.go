package casgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// asked is a request for a package db.
func asked(t testing.TB, change func(r *request)) []byte {
	t.Helper()
	var r request
	r.Settings.Engine = "mysql"
	r.Settings.Schema, r.Settings.Queries, r.Settings.Codegen.Out = []string{"schema"}, []string{"queries"}, "db"
	r.PluginOptions = []byte(`{"go": {"package": "db", "out": "db"}}`)
	change(&r)
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	return raw
}

// texts are sources of one file for each path.
func texts(byPath map[string]string) Sources {
	return func(paths []string) ([]sqlcheck.Source, error) {
		var sources []sqlcheck.Source
		for _, p := range paths {
			text, ok := byPath[p]
			if !ok {
				return nil, errors.New(p + ": no such file")
			}
			sources = append(sources, sqlcheck.Source{Name: p + ".sql", Text: text})
		}
		return sources, nil
	}
}

// Ensures that a request that cannot be one of sqlc for MySQL is refused with what to do.
func TestRequestsThatAreNone(t *testing.T) {
	t.Parallel()
	for want, raw := range map[string][]byte{
		"format: json":                []byte("\x0a\x05mysql"),
		"engine: mysql":               asked(t, func(r *request) { r.Settings.Engine = "postgresql" }),
		"option go is missing":        asked(t, func(r *request) { r.PluginOptions = nil }),
		"give both the same folder":   asked(t, func(r *request) { r.Settings.Codegen.Out = "elsewhere" }),
		"schema: gone: no such file":  asked(t, func(r *request) { r.Settings.Schema = []string{"gone"} }),
		"queries: gone: no such file": asked(t, func(r *request) { r.Settings.Queries = []string{"gone"} }),
		"unknown.sql:1:14: CAS028": asked(t, func(r *request) {
			addAccount(r, "id", "version")
			r.Settings.Schema = []string{"schema", "unknown"}
		}),
		"sqlc has no table account":    asked(t, func(*request) {}),
		"sqlc has no query GetAccount": asked(t, func(r *request) { addAccount(r, "id", "version") }),
		"sqlc sees the columns version, id in account, and sqlcas id, version": asked(t, func(r *request) {
			addAccount(r, "version", "id")
		}),
		"query GetAccount has 1 parameters, and sqlc makes a method with 0 of it": asked(t, func(r *request) {
			addAccount(r, "id", "version")
			r.Queries = []compiled{{Name: "GetAccount", Cmd: ":one"}}
		}),
	} {
		files, err := Generate(raw, texts(map[string]string{
			"schema": "CREATE TABLE account (id INT NOT NULL PRIMARY KEY,\n" +
				"version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');",
			"unknown": "CREATE TABLE old (id INT) WITH SYSTEM VERSIONING;",
			"queries": "-- name: GetAccount :one\nSELECT id FROM account WHERE id = ?;",
		}), "v0.0.0")
		require.ErrorContains(t, err, want)
		require.Empty(t, files, want)
	}
}

func addAccount(r *request, columns ...string) {
	table := catalogTable{Rel: identifier{Name: "account"}}
	for _, c := range columns {
		table.Columns = append(table.Columns, column{Name: c})
	}
	r.Catalog = catalog{DefaultSchema: "public", Schemas: []catalogSchema{{Name: "public", Tables: []catalogTable{table}}}}
}

// Ensures that a refusal is a *Refusal whose findings are in order, each place once, and that its text has each
// with its mend.
func TestRefusalsAreInOrder(t *testing.T) {
	t.Parallel()
	src := sqlcheck.Source{Name: "q.sql", Text: "first\nsecond\n"}
	second := src.At("CAS002", sqlcheck.Span{Start: 6, End: 12}, "is second", "put it first")
	first := src.At("CAS001", sqlcheck.Span{Start: 0, End: 5}, "is first", "")
	again := src.At("CAS002", sqlcheck.Span{Start: 6, End: 12}, "is second, too", "put it first")
	var r *Refusal
	require.ErrorAs(t, refused([]sqlcheck.Finding{second, again, first}), &r)
	require.Len(t, r.Findings, 2)
	require.EqualError(t, r, "sqlcas generates nothing before this is mended (2):\n"+
		"q.sql:1:1: CAS001 is first\nq.sql:2:1: CAS002 is second\n    mend: put it first")
	require.NoError(t, refused(nil))
}

// Ensures that an allow comment counts for the plugin as it does for vet, in schemas and in queries.
func TestAllowedIsGenerated(t *testing.T) {
	t.Parallel()
	raw := asked(t, func(r *request) { r.Queries = []compiled{{Name: "SumAll", Cmd: ":one", Columns: make([]column, 1)}} })
	generate := func(allow string) error {
		_, err := Generate(raw, texts(map[string]string{
			"schema":  "CREATE TABLE plain (n INT NOT NULL);",
			"queries": "-- name: SumAll :one\n" + allow + "SELECT SUM(n) AS total FROM plain;",
		}), "v0.0.0")
		return err
	}
	require.ErrorContains(t, generate(""), "CAS023")
	require.NoError(t, generate("-- sqlcas:allow CAS023 any is what the caller wants\n"))
}

// Ensures that verbs are told from names of descriptors.
func TestVerbOf(t *testing.T) {
	t.Parallel()
	for mark, want := range map[string]string{
		"get Stock": "get|Stock", "lock": "lock|", "lock Stock": "lock|Stock", "lock nowait Stock": "lock nowait|Stock",
		"lock  skip locked Stock": "lock skip locked|Stock", "lock skip Stock": "", "getStock": "", "get": "get|",
		"swap two words": "", "upsert Stock": "", "": "",
	} {
		n, name, ok := verbOf(mark)
		got := ""
		if ok {
			got = n.verb + "|" + name
		}
		require.Equal(t, want, got, "%q", mark)
	}
}

// FuzzGenerate: whatever sqlc asks and whatever is in the files, there is Go or an error, and no panic.
func FuzzGenerate(f *testing.F) {
	for _, dir := range []string{"refuse-marked-wrong", "refuse-name-taken", "unversioned"} {
		dir = "testdata/plugin/" + dir
		sources, err := sourcesIn(dir)([]string{"schema", "queries"})
		require.NoError(f, err)
		var schema, queries strings.Builder
		for _, src := range sources {
			if strings.HasPrefix(src.Name, "schema/") {
				schema.WriteString(src.Text)
			} else {
				queries.WriteString(src.Text + "\n")
			}
		}
		f.Add(read(f, dir+"/request.json"), schema.String(), queries.String())
	}
	f.Fuzz(func(t *testing.T, raw []byte, schema, queries string) {
		sources := texts(map[string]string{"schema": schema, "queries": queries})
		files, err := Generate(raw, sources, "v0.0.0")
		if (err == nil) != (len(files) == 1) {
			t.Fatalf("%d files and the error %v", len(files), err)
		}
		if again, _ := Generate(raw, sources, "v0.0.0"); fmt.Sprint(again) != fmt.Sprint(files) {
			t.Fatal("the same input makes other files")
		}
	})
}
