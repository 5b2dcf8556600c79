package casgen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Ensures that no schema and no options make Queries panic, that it returns either files or findings, and that
// no name in the schema gets out of its comment or its quotes into a line of its own.
func FuzzQueries(f *testing.F) {
	dirs, err := filepath.Glob("testdata/queries/*")
	require.NoError(f, err)
	for _, dir := range dirs {
		schema, err := filepath.Glob(filepath.Join(dir, "*.sql"))
		require.NoError(f, err)
		var text string
		for _, name := range schema {
			more, err := os.ReadFile(name)
			require.NoError(f, err)
			text += string(more)
		}
		options, err := os.ReadFile(filepath.Join(dir, "options.json"))
		require.NoError(f, err)
		f.Add(text, string(options))
	}
	f.Add("CREATE TABLE `a\n-- name: b :one\n` (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');",
		`{"go": {"package": "p"}}`)
	f.Add("CREATE TABLE a (id INT NOT NULL PRIMARY KEY, `b\n-- name: c :one\n` INT, version INT NOT NULL COMMENT 'sqlcas:version');",
		`{"go": {"package": "p"}}`)
	f.Fuzz(func(t *testing.T, schema, options string) {
		o, err := casgen.ReadOptions([]byte(options))
		if err != nil {
			o = casgen.Options{}
		}
		c := sqlcheck.ReadSchema([]sqlcheck.Source{{Name: "schema.sql", Text: schema}}, o.Versions())
		files, found := casgen.Queries(c, o, "v0.0.0")
		if len(found) > 0 {
			require.Empty(t, files)
			return
		}
		descriptors, _ := casgen.Descriptors(c, o)
		names := 0
		for _, d := range descriptors {
			names += len(casgen.QueryNames(d))
		}
		heads := 0
		for _, file := range files {
			heads += strings.Count("\n"+file.Text, "\n-- name: ")
			require.Equal(t, file.Name, filepath.Base(file.Name))
		}
		require.Equal(t, names, heads)
	})
}
