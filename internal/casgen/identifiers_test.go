package casgen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlc-dev/marino/parser"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// reservedByOne are words that one of MySQL 9 and MariaDB 11 reserves and the parser does not.
var reservedByOne = []string{
	"RETURNING", "OFFSET", "EMPTY", "LATERAL", "SYSTEM", "MANUAL", "PARALLEL", "QUALIFY", "TABLESAMPLE", "SLOW", "GENERAL", "VECTOR",
	"CURRENT_ROLE", "PAGE_CHECKSUM", "DO_DOMAIN_IDS", "JSON_TABLE", "GET", "GROUPING", "RESIGNAL", "UNDO",
}

// Ensures that a column is in quotes if any server or the parser reserves its name, and that the queries then
// parse; and that names that need none have none.
func TestQueries_reservedWords(t *testing.T) {
	t.Parallel()
	words := reservedByOne
	for _, k := range parser.Keywords {
		if k.Reserved {
			words = append(words, k.Word)
		}
	}
	for _, word := range words {
		require.NotContains(t, queriesWith(t, word), " "+word+" = sqlc.arg", word)
		require.Contains(t, queriesWith(t, word), "`"+word+"` = sqlc.arg(", word)
	}
	for _, word := range []string{"state", "owner", "rowid", "order_no", "_x", "date", "value"} {
		require.Contains(t, queriesWith(t, word), word+" = sqlc.arg("+word+")")
	}
}

// queriesWith are the queries of a table with a column of that name. They parse, with sqlc's own functions
// taken for any others.
func queriesWith(t *testing.T, column string) string {
	t.Helper()
	schema := fmt.Sprintf("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, `%s` INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version');", column)
	o := casgen.Options{Go: &casgen.GoOptions{}}
	files, found := casgen.Queries(sqlcheck.ReadSchema([]sqlcheck.Source{{Name: "s.sql", Text: schema}}, nil), o, "v0.0.0")
	require.Empty(t, found)
	_, _, err := parser.New().ParseSQL(strings.ReplaceAll(files[0].Text, "sqlc.arg", "sqlc_arg"))
	require.NoError(t, err, column)
	return files[0].Text
}
