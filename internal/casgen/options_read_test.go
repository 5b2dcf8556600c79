package casgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Ensures that options are read with their defaults, and that a table's are found by its name.
func TestReadOptions(t *testing.T) {
	t.Parallel()
	o, err := casgen.ReadOptions([]byte(`{"go": {"out": "gen/shop", "query_parameter_limit": 0}, "queries": "queries/shop",
		"tables": {"Articles": {"version": "lock_version", "zero": true, "narrow": {"Head": ["title"]}}, "account": {}}}`))
	require.NoError(t, err)
	require.Equal(t, "shop", o.Go.Package)
	require.Equal(t, int32(0), *o.Go.QueryParameterLimit)
	require.Equal(t, casgen.DefaultOutput, o.Output)
	require.Equal(t, "queries/shop", o.Queries)
	require.Equal(t, []string{"title"}, o.Tables["Articles"].Narrow["Head"])
	require.Equal(t, sqlcheck.Versions{"Articles": "lock_version"}, o.Versions())
}

// Ensures that what is not known, or cannot be honoured, is refused by its name and with what to do.
func TestReadOptions_refuses(t *testing.T) {
	t.Parallel()
	const missing = "option go is missing"
	tests := map[string]struct{ raw, want string }{
		"nothing":                {``, missing},
		"no options":             {`{}`, missing},
		"a null gen.go":          {`{"go": null}`, missing},
		"the mend of that":       {`{"output": "x.go"}`, "write `go: &go` where"},
		"unknown in gen.go":      {`{"go": {"package": "db", "emit_xyz": true}}`, "gen.go option emit_xyz is unknown to this version of sqlcas: it may change names"},
		"another case":           {`{"go": {"Package": "db"}}`, "gen.go option Package is unknown"},
		"unknown in an override": {`{"go": {"package": "db", "overrides": [{"column": "a.b"}, {"colum": "a.b"}]}}`, "gen.go option overrides.1.colum is unknown"},
		"unknown in a go_type":   {`{"go": {"package": "db", "overrides": [{"column": "a.b", "go_type": {"typ": "x"}}]}}`, "gen.go option overrides.0.go_type.typ is unknown"},
		"unknown at the top":     {`{"go": {"package": "db"}, "tabels": {}}`, "option tabels is unknown: the plugin's options are go, overrides, queries, tables"},
		"unknown of a table":     {`{"go": {"package": "db"}, "tables": {"a": {"key": "id"}}}`, "option tables.a.key is unknown: a table's options are version, zero"},
		"unknown in overrides":   {`{"go": {"package": "db"}, "overrides": {"go": {}}}`, "overrides.go option go is unknown"},
		"another kind":           {`{"go": {"package": "db"}, "tables": {"a": {"zero": "yes"}}}`, "option tables.a.zero is to be true or false"},
		"another kind in a list": {`{"go": {"package": "db", "initialisms": ["id", 1]}}`, "gen.go option initialisms.1 is to be a text"},
		"no list":                {`{"go": {"package": "db", "overrides": {}}}`, "gen.go option overrides is to be a list"},
		"no whole number":        {`{"go": {"package": "db", "query_parameter_limit": 1.5}}`, "gen.go option query_parameter_limit is to be a whole number"},
		"no object":              {`[]`, "the plugin's options are no map"},
		"no JSON":                {`{"go": `, "are no JSON"},
		"no package":             {`{"go": {}}`, `gen.go option package is ""`},
		"no name of a package":   {`{"go": {"out": "gen/my-shop"}}`, `gen.go option package is "my-shop"`},
		"pgx":                    {`{"go": {"package": "db", "sql_package": "pgx/v5"}}`, `gen.go option sql_package is "pgx/v5"`},
		"another driver":         {`{"go": {"package": "db", "sql_driver": "github.com/lib/pq"}}`, "gen.go option sql_driver is"},
		"two that clash":         {`{"go": {"package": "db", "emit_prepared_queries": true, "emit_methods_with_db_argument": true}}`, "exclude each other"},
		"a negative limit":       {`{"go": {"package": "db", "query_parameter_limit": -1}}`, "gen.go option query_parameter_limit is negative"},
		"postgres_type":          {`{"go": {"package": "db", "overrides": [{"postgres_type": "uuid", "go_type": "string"}]}}`, "option postgres_type of an override is PostgreSQL's"},
		"both of an override":    {`{"go": {"package": "db", "overrides": [{"column": "a.b", "db_type": "int"}]}}`, "has both column"},
		"none of an override":    {`{"go": {"package": "db"}, "overrides": {"overrides": [{"go_type": "int"}]}}`, "has neither column nor db_type"},
		"a column alone":         {`{"go": {"package": "db", "overrides": [{"column": "id", "go_type": "int"}]}}`, "write *.id"},
		"an escape":              {`{"go": {"package": "db", "overrides": [{"column": "a.\\b", "go_type": "int"}]}}`, `\b is no escape`},
		"half an escape":         {`{"go": {"package": "db", "overrides": [{"column": "a.b\\", "go_type": "int"}]}}`, `it ends in \`},
		"no type of Go":          {`{"go": {"package": "db", "overrides": [{"column": "a.b", "go_type": "[]byte"}]}}`, `"[]byte" is not a basic type of Go`},
		"a path alone":           {`{"go": {"package": "db", "overrides": [{"column": "a.b", "go_type": "a/b"}]}}`, `"a/b" has no type`},
		"a package alone":        {`{"go": {"package": "db", "overrides": [{"column": "a.b", "go_type": {"package": "p", "type": "T"}}]}}`, "package p has no import path"},
		"an import alone":        {`{"go": {"package": "db", "overrides": [{"column": "a.b", "go_type": {"import": "a/b"}}]}}`, "it has no type"},
		"a number for a type":    {`{"go": {"package": "db", "overrides": [{"column": "a.b", "go_type": 1}]}}`, "go_type of the override of a.b"},
		"output in a folder":     {`{"go": {"package": "db"}, "output": "../x.go"}`, "without a folder"},
		"output that is no Go":   {`{"go": {"package": "db"}, "output": "x.txt"}`, "the name of a .go file"},
		"sqlc's own file":        {`{"go": {"package": "db"}, "output": "models.go"}`, "which sqlc may write too"},
		"sqlc's renamed file":    {`{"go": {"package": "db", "output_db_file_name": "conn.go"}, "output": "conn.go"}`, "which sqlc may write too"},
		"a query's file":         {`{"go": {"package": "db"}, "output": "account.sql.go"}`, "which sqlc may write too"},
		"a test":                 {`{"go": {"package": "db"}, "output": "cas_test.go"}`, "leaves out of the build"},
		"for Windows alone":      {`{"go": {"package": "db"}, "output": "x_windows.go"}`, "leaves out of the build"},
		"for one processor":      {`{"go": {"package": "db"}, "output": "foo_arm64.go"}`, "leaves out of the build"},
		"for both, with a dot":   {`{"go": {"package": "db"}, "output": "foo_linux_amd64.cas.go"}`, "leaves out of the build"},
		"an underscore first":    {`{"go": {"package": "db"}, "output": "_x.go"}`, "leaves out of the build"},
		"a dot first":            {`{"go": {"package": "db"}, "output": ".x.go"}`, "leaves out of the build"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := casgen.ReadOptions([]byte(test.raw))
			require.ErrorContains(t, err, test.want)
		})
	}
}
