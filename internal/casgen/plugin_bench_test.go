package casgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// BenchmarkGenerate200 writes the queries of 200 tables, and the Go of sqlc's request for them. It is to stay
// under 2 s, or people wait for each save.
func BenchmarkGenerate200(b *testing.B) {
	var schema strings.Builder
	for i := range 200 {
		fmt.Fprintf(&schema, "CREATE TABLE thing_%d (\nid BIGINT UNSIGNED NOT NULL PRIMARY KEY,\n", i)
		for c := range 12 {
			fmt.Fprintf(&schema, "column_%c VARCHAR(64) NOT NULL,\n", 'a'+c)
		}
		schema.WriteString("version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'\n);\n")
	}
	o, err := ReadOptions([]byte(`{"go": {"package": "db", "out": "db"}}`))
	require.NoError(b, err)
	src := []sqlcheck.Source{{Name: "schema.sql", Text: schema.String()}}
	for b.Loop() {
		queries, found := Queries(sqlcheck.ReadSchema(src, nil), o, "v0.0.0")
		require.Empty(b, found)
		b.StopTimer()
		raw, text := compiledBySqlc(b, src, queries)
		b.StartTimer()
		files, err := Generate(raw, texts(map[string]string{"schema": schema.String(), "queries": text}), "v0.0.0")
		require.NoError(b, err)
		require.Equal(b, 200, strings.Count(files[0].Text, " = sqlcas.Table["))
	}
}

// compiledBySqlc is the request that sqlc makes of generated queries of plain columns, and their text.
func compiledBySqlc(tb testing.TB, schema []sqlcheck.Source, files []File) (raw []byte, text string) {
	c := sqlcheck.ReadSchema(schema, nil)
	of := func(t *sqlcheck.Table, name string) column {
		known := t.Column(name)
		if known == nil {
			known = t.Version
		}
		return column{
			Name: name, OriginalName: known.Name, NotNull: true, Unsigned: known.Unsigned, IsNamedParam: true,
			Type: identifier{Name: known.Type}, Table: &identifier{Name: t.Name},
		}
	}
	raw = asked(tb, func(r *request) {
		var tables []catalogTable
		for _, t := range c.Tables {
			table := catalogTable{Rel: identifier{Name: t.Name}}
			for _, known := range t.Columns {
				table.Columns = append(table.Columns, of(t, known.Name))
			}
			tables = append(tables, table)
			if t.Version == nil {
				continue
			}
			own := files[0]
			files = files[1:]
			for _, s := range sqlcheck.Queries(sqlcheck.Source{Text: own.Text}) {
				q := compiled{Name: s.Query.Name, Cmd: ":" + s.Query.Command}
				for _, p := range s.Params() {
					q.Params = append(q.Params, parameter{Column: of(t, p.Name)})
				}
				if q.Cmd == ":one" {
					q.Columns = table.Columns
				}
				r.Queries = append(r.Queries, q)
			}
			text += own.Text
		}
		r.Catalog = catalog{DefaultSchema: "public", Schemas: []catalogSchema{{Name: "public", Tables: tables}}}
	})
	return raw, text
}
