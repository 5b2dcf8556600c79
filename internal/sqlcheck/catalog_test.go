package sqlcheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rulesIn are the rules that find something in statements against a schema, each once for each finding.
func rulesIn(schema, text string) []string {
	c := ReadSchema([]Source{{"schema.sql", schema}}, nil)
	var rules []string
	for _, f := range checkText(c, Source{"a.sql", text}, "") {
		rules = append(rules, f.Rule)
	}
	return rules
}

const (
	versionedB = "CREATE TABLE b.account (id INT NOT NULL PRIMARY KEY, n INT, version INT NOT NULL COMMENT 'sqlcas:version');\n"
	plainA     = "CREATE TABLE a.account (id INT NOT NULL PRIMARY KEY, n INT);\n"
	versioned  = "CREATE TABLE account (id INT NOT NULL PRIMARY KEY, n INT, version INT NOT NULL COMMENT 'sqlcas:version');\n"
)

// Ensures that tables of one name in two databases are two tables, and that a name without a database means the
// one that is in none, or else the only one, or else one with a version.
func TestCatalog_databases(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema, text string
		found        bool
	}{
		"qualified, versioned":               {versionedB + plainA, "DELETE FROM b.account WHERE id = ?", true},
		"qualified, plain":                   {versionedB + plainA, "DELETE FROM a.account WHERE id = ?", false},
		"the other order":                    {plainA + versionedB, "DELETE FROM b.account WHERE id = ?", true},
		"no database, so one with a version": {plainA + versionedB, "DELETE FROM account WHERE id = ?", true},
		"no database, the only one":          {versionedB, "DELETE FROM account WHERE id = ?", true},
		"no database, the one that has none": {
			versionedB + "CREATE TABLE account (id INT NOT NULL PRIMARY KEY)", "DELETE FROM account WHERE id = ?", false,
		},
		"a database that is not in the schema": {versioned, "DELETE FROM shop.account WHERE id = ?", true},
		"a third database":                     {versionedB + plainA, "DELETE FROM c.account WHERE id = ?", false},
		"both in one statement": {
			versionedB + plainA, "UPDATE a.account JOIN b.account ON b.account.id = a.account.id SET b.account.n = 1 WHERE a.account.id = ?", true,
		},
		"both in one statement, the other one": {
			versionedB + plainA, "UPDATE a.account JOIN b.account ON b.account.id = a.account.id SET a.account.n = 1 WHERE a.account.id = ?", false,
		},
		"dropped elsewhere":        {versioned + "DROP TABLE IF EXISTS x.account;", "DELETE FROM account WHERE id = ?", true},
		"dropped in its database":  {versionedB + plainA + "DROP TABLE b.account;", "DELETE FROM account WHERE id = ?", false},
		"renamed in its database":  {versionedB + plainA + "RENAME TABLE a.account TO a.old;", "DELETE FROM account WHERE id = ?", true},
		"renamed by ALTER TABLE":   {versionedB + plainA + "ALTER TABLE b.account RENAME TO acc;", "DELETE FROM b.acc WHERE id = ?", true},
		"changed in its database":  {versionedB + plainA + "ALTER TABLE a.account ADD version INT NOT NULL COMMENT 'sqlcas:version';", "DELETE FROM a.account WHERE id = ?", true},
		"changed elsewhere":        {plainA + versionedB + "ALTER TABLE b.account DROP version;", "DELETE FROM account WHERE id = ?", false},
		"there already, elsewhere": {plainA + "CREATE TABLE IF NOT EXISTS b.account (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');", "DELETE FROM b.account WHERE id = ?", true},
		"copied from a database":   {versionedB + plainA + "CREATE TABLE c.account LIKE b.account;", "DELETE FROM c.account WHERE id = ?", true},
	} {
		require.Equal(t, c.found, len(rulesIn(c.schema, c.text)) > 0, name)
	}
	require.Equal(t, []string{"CAS028"}, rulesIn(versioned+"CREATE TABLE a.account (id INT);", "DELETE FROM account WHERE id = ? RETURNING id"))
	require.Empty(t, rulesIn(versionedB+plainA, "DELETE FROM a.account WHERE id = ? RETURNING id"))
	require.Equal(t, []string{"CAS028"}, rulesIn("CREATE TABLE account (id INT);"+versionedB, "DELETE FROM b.account WHERE id = ? RETURNING id"))
}

// Ensures that a trigger belongs to the table of its own database.
func TestCatalog_triggers(t *testing.T) {
	t.Parallel()
	const body = " FOR EACH ROW SET NEW.version = NEW.version + 1;"
	const bumpA = "CREATE TRIGGER a.bump BEFORE UPDATE ON a.account" + body
	const bumpB = "CREATE TRIGGER b.bump BEFORE UPDATE ON b.account" + body
	for name, c := range map[string]struct {
		schema string
		found  int
	}{
		"on the versioned table": {versionedB + plainA + bumpB, 1},
		"on the other one":       {versionedB + plainA + bumpA, 0},
		"the other table is dropped": {
			versionedB + plainA + bumpB + "DROP TABLE a.account;", 1,
		},
		"its table is dropped": {
			versionedB + plainA + bumpB + "DROP TABLE b.account;", 0,
		},
		"another trigger is dropped": {
			versionedB + plainA + bumpB + "DROP TRIGGER a.bump;", 1,
		},
	} {
		require.Len(t, CheckSchema(ReadSchema([]Source{{"schema.sql", c.schema}}, nil)), c.found, name)
	}
}
