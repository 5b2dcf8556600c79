package sqlcheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that no name of a character set or collation keeps a table from being known, that they are kept as written,
// and that a column may be called charset.
func TestReadSchema_charsets(t *testing.T) {
	t.Parallel()
	type names struct{ table, tableCollation, column, columnCollation string }
	for text, want := range map[string]names{
		"CREATE TABLE a (x CHAR(3))": {},
		"CREATE TABLE a (x CHAR(3) CHARACTER SET Latin2 COLLATE latin2_hungarian_ci)":                 {column: "latin2", columnCollation: "latin2_hungarian_ci"},
		"CREATE TABLE a (x CHAR(3) CHARSET cp1251) DEFAULT CHARSET=utf8mb3 COLLATE='utf8mb3_bin'":     {table: "utf8mb3", tableCollation: "utf8mb3_bin", column: "cp1251"},
		"CREATE TABLE a (x CHAR(3)) ENGINE=InnoDB DEFAULT CHARACTER SET = utf16":                      {table: "utf16"},
		"CREATE TABLE a (x TEXT COLLATE uca1400_ai_ci) COLLATE=utf8mb4_uca1400_ai_ci":                 {tableCollation: "utf8mb4_uca1400_ai_ci", columnCollation: "uca1400_ai_ci"},
		"CREATE TABLE a (x CHAR(3) CHARSET utf8); ALTER TABLE a CONVERT TO CHARACTER SET cp1251":      {table: "cp1251"},
		"CREATE TABLE a (x CHAR(3)) COLLATE latin1_bin; ALTER TABLE a DEFAULT CHARSET ucs2":           {table: "ucs2"},
		"CREATE TABLE a (x CHAR(3) CHECK (x COLLATE odd_ci = 'CHARSET latin1' AND CHARSET(x) = 'y'))": {},
		"CREATE TABLE a (x CHAR(3), charset VARCHAR(9), collation BINARY(3), KEY (charset))":          {},
		"CREATE TABLE a (x CHAR(3)); ALTER TABLE a ADD charset CHAR(3), CHANGE charset charset INT":   {},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			c := ReadSchema([]Source{{"a.sql", text}}, nil)
			require.Empty(t, c.Unparsed)
			a := c.Tables[0]
			x := a.Column("x")
			require.Equal(t, want, names{a.Charset, a.Collation, x.Charset, x.Collation})
		})
	}
}
