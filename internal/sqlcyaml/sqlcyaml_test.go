package sqlcyaml

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const whole = `
version: "2"
plugins:
  - name: versions
    process: {cmd: ./bin/sqlcas, format: json}
  - name: other
    process: {cmd: sqlc-gen-other}
sql:
  - engine: postgresql
    schema: pg
    queries: pg
  - name: shop
    engine: mysql
    schema: [schema/a.sql, "schema/b*"]
    queries: queries
    gen:
      go: &go {package: shop, out: gen, emit_prepared_queries: true}
    codegen:
      - {plugin: other, out: other}
      - plugin: versions
        out: gen
        options:
          go: *go
          tables: {inventory: {name: Stock}}
  - engine: mysql
    schema: more
    queries: more
`

// Ensures that the blocks of MySQL are read with their paths and the options of the plugin, aliases
// resolved, whatever the plugin is called.
func TestRead(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "sqlc.yaml", whole)
	c, err := Read(path)
	require.NoError(t, err)
	require.Equal(t, filepath.Dir(path), c.Dir)
	require.Len(t, c.Blocks, 2)
	b := c.Blocks[0]
	require.Equal(t, "shop", b.Name)
	require.Equal(t, []string{"schema/a.sql", "schema/b*"}, b.Schema)
	require.Equal(t, []string{"queries"}, b.Queries)
	require.True(t, b.Prepared)
	require.NotNil(t, b.Plugin)
	require.Equal(t, "gen", b.Plugin.Out)
	require.JSONEq(t, `{"go":{"package":"shop","out":"gen","emit_prepared_queries":true},"tables":{"inventory":{"name":"Stock"}}}`,
		string(b.Plugin.Options))
	require.Nil(t, c.Blocks[1].Plugin)
	require.False(t, c.Overrides)
	c, err = parse([]byte(whole + "\noverrides: {go: {rename: {a: B}}}\n"))
	require.NoError(t, err)
	require.True(t, c.Overrides)
	require.False(t, c.Blocks[1].Prepared)
}

// Ensures that a configuration which sqlcas cannot use is refused with what to change.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"version 1":      {`version: "1"`, `only version "2"`},
		"another engine": {"version: \"2\"\nsql: [{engine: sqlite, schema: a, queries: b}]", `["sqlite"]`},
		"not JSON":       {"version: \"2\"\nplugins: [{name: sqlcas, process: {cmd: sqlcas}}]\nsql: [{engine: mysql}]", "format: json"},
		"no YAML":        {"version: [", "yaml"},
		"the plugin twice": {`
version: "2"
plugins: [{name: sqlcas, process: {cmd: sqlcas, format: json}}]
sql: [{engine: mysql, codegen: [{plugin: sqlcas, out: a}, {plugin: sqlcas, out: b}]}]`, "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(write(t, t.TempDir(), "sqlc.yaml", tc.text))
			require.ErrorContains(t, err, tc.want)
			require.ErrorContains(t, err, "sqlc.yaml")
		})
	}
}

// Ensures that a folder without a configuration gives an error that says what to do.
func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Find(dir)
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, "-f")
	want := write(t, dir, "sqlc.json", `{}`)
	got, err := Find(dir)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// Ensures that the files are those that sqlc would read, in its order.
func TestSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a/2.sql", "a/1.sql", "a/.hidden.sql", "a/1.down.sql", "a/readme.md", "a/deep/3.sql", "b1.sql", "b2.sql"} {
		write(t, dir, name, "-- "+name)
	}
	got, err := Sources(dir, []string{"b2.sql", "a", "b?.sql"})
	require.NoError(t, err)
	var names []string
	for _, src := range got {
		rel, err := filepath.Rel(dir, src.Name)
		require.NoError(t, err)
		require.Equal(t, "-- "+filepath.ToSlash(rel), src.Text)
		names = append(names, filepath.ToSlash(rel))
	}
	require.Equal(t, []string{"b2.sql", "a/1.sql", "a/2.sql", "b1.sql", "b2.sql"}, names)
	_, err = Sources(dir, []string{"nowhere"})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Sources(dir, []string{"*.nothing"})
	require.ErrorContains(t, err, "no file fits")
}

func write(t *testing.T, dir, name, text string) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}
