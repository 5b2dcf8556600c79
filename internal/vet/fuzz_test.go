package vet

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// FuzzParse ensures that no text which a program gives to a database makes vet panic, whatever marks its parameters,
// and that named parameters keep their place.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"UPDATE account SET balance = :balance WHERE id = :id", "SELECT '::a', @x, \"@@b\" # :c\n FROM t -- :d\n",
		"EXECUTE IMMEDIATE 'UPDATE account SET balance = 1'", "`", "'\\", "/* :a", ":", "@", "a;;b", "SET STATEMENT a=1 FOR SELECT 1",
	} {
		f.Add(text, byte(':'))
		f.Add(text, byte('@'))
	}
	catalog := sqlcheck.ReadSchema([]sqlcheck.Source{{Name: "s.sql", Text: "CREATE TABLE account (id INT NOT NULL PRIMARY KEY, " +
		"balance INT NOT NULL, version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version')"}}, nil)
	f.Fuzz(func(t *testing.T, text string, mark byte) {
		require.Len(t, unnamed(text, mark), len(text))
		s := &scan{in: sqlcheck.Input{Catalog: catalog}, versioned: map[string]bool{"account": true}}
		for _, m := range []byte{0, mark} {
			for _, statement := range s.parse(literal{value: text}, m) {
				_ = s.checkStatement(statement)
			}
		}
	})
}
