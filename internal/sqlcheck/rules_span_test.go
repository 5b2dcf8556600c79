package sqlcheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that the caret stands under the fault itself: an assignment, a condition, a table, a clause, to its
// end and no further, whatever stands around it.
func TestCheck_span(t *testing.T) {
	t.Parallel()
	catalog := testCatalog(t)
	tests := map[string]struct{ rule, text, under string }{
		"assignment":          {"CAS003", "UPDATE account SET balance = 1, version = ? + 1 WHERE id = 1 AND version = 1", "version = ? + 1"},
		"qualified":           {"CAS003", "UPDATE account a SET a . `version` = IF(a.id, 2, (3)) WHERE id = 1 AND version = 1", "a . `version` = IF(a.id, 2, (3))"},
		"default":             {"CAS003", "UPDATE account SET version=DEFAULT WHERE id = 1 AND version = 1", "version=DEFAULT"},
		"by :=":               {"CAS003", "UPDATE account SET version := 5, balance = 2 WHERE id = 1 AND version = 1", "version := 5"},
		"string with a sign":  {"CAS016", "UPDATE account SET owner = 'id = 3, id', id = 3, version = version + 1 WHERE id = 1 AND version = 1", "id = 3"},
		"whole where":         {"CAS001", "DELETE FROM account WHERE id = (1) AND owner IN ('a', 'b') LIMIT 1", "id = (1) AND owner IN ('a', 'b')"},
		"one condition":       {"CAS001", "DELETE FROM account WHERE id = 1 AND version BETWEEN 1 AND 2 AND owner = 'x'", "version BETWEEN 1 AND 2"},
		"call without values": {"CAS001", "DELETE FROM account WHERE id = 1 AND owner = CURRENT_USER() ORDER BY id", "id = 1 AND owner = CURRENT_USER()"},
		"case":                {"CAS001", "DELETE FROM account WHERE CASE WHEN id = 1 THEN version ELSE 2 END = 2", "CASE WHEN id = 1 THEN version ELSE 2 END = 2"},
		"is null":             {"CAS001", "DELETE FROM account WHERE id = 1 AND version IS NULL", "version IS NULL"},
		"join":                {"CAS001", "UPDATE account a JOIN job j ON j.id >= a.version SET a.version = a.version + 1", "j.id >= a.version"},
		"table":               {"CAS001", "DELETE FROM `account`", "`account`"},
		"table with database": {"CAS002", "UPDATE shop.account AS a SET owner = 'account' WHERE id = 1 AND version = 1", "account"},
		"truncate":            {"CAS001", "TRUNCATE TABLE account", "account"},
		"tuple":               {"CAS005", "DELETE FROM account WHERE (id, version) IN ((1, 2), (3, 4)) AND owner = 'x'", "(id, version) IN ((1, 2), (3, 4))"},
		"update clause":       {"CAS009", "SELECT id FROM account WHERE id > 5 FOR UPDATE NOWAIT", "FOR UPDATE"},
		"share clause":        {"CAS009", "SELECT id FROM (SELECT id FROM account WHERE id > 5 LOCK IN SHARE MODE) AS x WHERE id = 1", "LOCK IN"},
		"order":               {"CAS009", "SELECT id FROM account WHERE id > 5 ORDER BY balance + 1, id FOR UPDATE", "balance + 1"},
		"variable":            {"CAS010", "UPDATE job SET worker = 'x', status = @s WHERE id = 1", "@s"},
		"assigned variable":   {"CAS010", "UPDATE job SET status = (@s := 'x') WHERE id = 1", "@s := 'x'"},
		"executable comment":  {"CAS018", "INSERT INTO account (owner, version) VALUES ('ö', /*!50000 0 */)", "0"},
		"last value":          {"CAS018", "INSERT INTO account (owner, version) VALUES ('x', NULL)", "NULL"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const before = "-- ä\nSELECT 1;\n\t"
			src := Source{"q.sql", before + tt.text + "; -- after\n"}
			var under []string
			for _, f := range checkText(catalog, src, "") {
				if f.Rule == tt.rule {
					require.Equal(t, 3, f.Line)
					under = append(under, string([]rune(f.Excerpt)[f.Column-1:f.Column-1+f.Length]))
				}
			}
			require.Equal(t, []string{tt.under}, under)
		})
	}
}
