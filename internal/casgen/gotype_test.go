package casgen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// columnTypes are all types that a column may have and sqlc can read; it knows no GEOMETRY.
var columnTypes = []string{
	"TINYINT", "TINYINT(1)", "TINYINT(4)", "BOOL", "BOOLEAN", "SMALLINT", "MEDIUMINT", "INT", "INT(1)", "INTEGER", "BIGINT", "BIGINT(20)",
	"INT1", "INT2", "INT3", "INT4", "INT8", "DECIMAL", "DECIMAL(10,2)", "DEC(4)", "NUMERIC(8,3)", "FIXED(8,3)", "FLOAT", "FLOAT(30)",
	"DOUBLE", "DOUBLE PRECISION", "REAL", "BIT", "BIT(8)", "DATE", "TIME", "TIME(3)", "DATETIME", "DATETIME(6)", "TIMESTAMP", "TIMESTAMP(6)",
	"YEAR", "YEAR(4)", "CHAR", "CHAR(10)", "CHAR(10) CHARACTER SET binary", "NCHAR(10)", "VARCHAR(10)", "VARCHAR(10) CHARACTER SET binary",
	"NVARCHAR(10)", "BINARY", "BINARY(16)", "VARBINARY(16)", "TINYBLOB", "BLOB", "BLOB(10)", "MEDIUMBLOB", "LONGBLOB", "TINYTEXT", "TEXT",
	"TEXT(10)", "TEXT CHARACTER SET binary", "MEDIUMTEXT", "LONGTEXT", "LONG VARCHAR", "ENUM('a','b')", "SET('a','b')", "JSON", "VECTOR(3)",
}

// typesSchema has a column of each type, with and without NOT NULL and UNSIGNED.
func typesSchema() sqlcheck.Source {
	var out strings.Builder
	out.WriteString("CREATE TABLE every_types (\n")
	for i, typ := range columnTypes {
		fmt.Fprintf(&out, "  c%d_null %s,\n  c%d_not %s NOT NULL,\n", i, typ, i, typ)
		if numeric(typ) {
			fmt.Fprintf(&out, "  c%d_null_unsigned %s UNSIGNED,\n  c%d_unsigned %s UNSIGNED NOT NULL,\n", i, typ, i, typ)
		}
	}
	out.WriteString("  user_id BIGINT, `Mixed_Case` INT, `a b` INT, `2fa` INT, `ö_id` INT, url_api INT, PRIMARY KEY (user_id)\n);\n" +
		"CREATE TABLE other_things (user_id BIGINT NOT NULL PRIMARY KEY, kind ENUM('x') NOT NULL, plain INT);\n" +
		"CREATE TABLE plain_things (user_id BIGINT NOT NULL PRIMARY KEY, plain INT);\nCREATE TABLE data LIKE plain_things;\n" +
		"ALTER TABLE data ADD COLUMN kind SET('x'), ADD COLUMN late INT UNSIGNED NOT NULL AFTER user_id, MODIFY COLUMN plain SMALLINT UNSIGNED NOT NULL;\n")
	return sqlcheck.Source{Name: "schema.sql", Text: out.String()}
}

func numeric(typ string) bool {
	for _, not := range []string{"BIT", "BOOL", "DATE", "TIME", "YEAR", "CHAR", "BINARY", "BLOB", "TEXT", "ENUM", "SET", "JSON", "VECTOR"} {
		if strings.Contains(typ, not) {
			return false
		}
	}
	return true
}

// goOptionCases are gen.go options that change names or types.
var goOptionCases = map[string]string{
	"none":        `{}`,
	"names":       `{"emit_exact_table_names": true, "initialisms": ["url", "api"], "rename": {"a b": "Both", "plain": "Fancy", "data_kind": "Sort"}}`,
	"exclusions":  `{"inflection_exclude_table_names": ["DATA"], "initialisms": [], "rename": {"every_type": "Whole"}}`,
	"no pointers": `{"emit_pointers_for_null_types": true, "emit_json_tags": true, "emit_enum_valid_method": true}`,
	"overrides": `{"overrides": [
		{"column": "*.user_id", "go_type": "github.com/google/uuid.UUID"},
		{"column": "other_things.plain", "go_type": {"import": "example.com/go-money/v2", "type": "Money", "pointer": true}},
		{"column": "every_types.c1?_not", "go_type": {"import": "example.com/a/b", "package": "alias", "type": "T", "slice": true}},
		{"column": "public.data.late", "go_type": "int"},
		{"column": "*.every_types.mixed_case", "go_type": {"type": "Local"}},
		{"column": "mydb.every_types.url_api", "go_type": {"type": "Never"}},
		{"column": "def.public.every_types.url_api", "go_type": {"type": "Never"}},
		{"column": "*.*.every_types.url_api", "go_type": {"type": "any"}},
		{"column": "EVERY_TYPES.a b", "go_type": {"type": "Never"}},
		{"column": "data.kind", "go_struct_tag": "x:\"y\""},
		{"db_type": "bigint", "unsigned": true, "go_type": "encoding/json.Number"},
		{"db_type": "bigint", "nullable": true, "go_type": {"type": "int64", "pointer": true}},
		{"db_type": "datetime", "go_type": "github.com/x/go-when.Time"},
		{"db_type": "timestamp", "go_type": {"import": "time", "type": "Time", "pointer": true}},
		{"db_type": "other_things_kind", "go_type": "string"},
		{"db_type": "enum", "go_type": "bool"},
		{"db_type": "binary", "go_type": {"type": "[]byte"}},
		{"db_type": "json", "nullable": true, "go_type": {"type": "[]byte"}},
		{"db_type": "bigint", "unsigned": true, "go_type": "string"},
		{"db_type": "tinyint", "null": true, "go_type": "bool"}
	]}`,
}

// Ensures that the names and types of structs are sqlc's, for every type of column that MySQL has, under all
// options that change them: the real sqlc is asked.
func TestNaming_sqlc(t *testing.T) {
	t.Parallel()
	for name, raw := range goOptionCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var gen map[string]any
			require.NoError(t, json.Unmarshal([]byte(raw), &gen))
			gen["package"] = "db"
			out := generate(t, []sqlcheck.Source{typesSchema()}, map[string]string{"q.sql": "-- name: One :one\nSELECT 1;\n"}, gen)
			options, err := json.Marshal(map[string]any{"go": gen})
			require.NoError(t, err)
			compareModels(t, string(options), parsePackage(t, out))
		})
	}
}

func compareModels(t *testing.T, options string, made goPackage) {
	t.Helper()
	o, err := casgen.ReadOptions([]byte(options))
	require.NoError(t, err)
	catalog := sqlcheck.ReadSchema([]sqlcheck.Source{typesSchema()}, nil)
	require.Len(t, catalog.Tables, 4)
	n := casgen.NewNaming(o)
	for _, table := range catalog.Tables {
		struct_, ok := made.structs[n.Struct(table.Name)]
		require.True(t, ok, "sqlc has no struct %s", n.Struct(table.Name))
		types := map[string]string{}
		for _, f := range struct_ {
			types[f.Name] = f.Type
		}
		require.Len(t, struct_, len(table.Columns))
		for _, c := range table.Columns {
			g, err := n.Type(table, c)
			require.NoError(t, err)
			require.Equal(t, types[n.Name(c.Name)], g.Text, "%s.%s (%s)", table.Name, c.Name, n.Name(c.Name))
		}
	}
}
