package casgen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

const oneTable = "CREATE TABLE account (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, owner VARCHAR(9) NOT NULL,\n" +
	"version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');\n"

// generateOne generates for a schema without sqlc, from the queries that Queries writes; edit may change them.
func generateOne(t *testing.T, schema string, edit func(queries string) string) (string, error) {
	t.Helper()
	src := []sqlcheck.Source{{Name: "schema/all.sql", Text: schema}}
	o, err := ReadOptions([]byte(`{"go": {"package": "db", "out": "db"}}`))
	require.NoError(t, err)
	queries, found := Queries(sqlcheck.ReadSchema(src, nil), o, "v0.0.0")
	require.Empty(t, found)
	for i := range queries {
		queries[i].Text = edit(queries[i].Text)
	}
	raw, text := compiledBySqlc(t, src, queries)
	files, err := Generate(raw, texts(map[string]string{"schema": schema, "queries": text}), "v0.0.0")
	if err != nil {
		return "", err
	}
	return files[0].Text, nil
}

func unedited(queries string) string { return queries }

// without takes the query of that name out.
func without(name string) func(string) string {
	return func(queries string) string {
		from := strings.Index(queries, "-- name: "+name+" ")
		to := strings.Index(queries[from:], ";\n")
		return queries[:from] + queries[from+to+2:]
	}
}

// Ensures that a row which a trigger may change when it is written is read again, and that no other trigger
// costs that.
func TestTriggersMakeARowComputed(t *testing.T) {
	t.Parallel()
	for trigger, computed := range map[string]bool{
		"": false,
		"CREATE TRIGGER a BEFORE UPDATE ON account FOR EACH ROW SET NEW.owner = UPPER(NEW.owner);":   true,
		"CREATE TRIGGER a BEFORE INSERT ON account FOR EACH ROW SET NEW.owner = UPPER(NEW.owner);":   false,
		"CREATE TRIGGER a AFTER UPDATE ON account FOR EACH ROW INSERT INTO log (n) VALUES (OLD.id);": false,
	} {
		text, err := generateOne(t, oneTable+trigger, unedited)
		require.NoError(t, err, trigger)
		require.Equal(t, computed, strings.Contains(text, "Computed:"), trigger)
	}
}

// Ensures that a table does without Delete, Touch and Insert, and with nothing else missing.
func TestSomeQueriesAreOptional(t *testing.T) {
	t.Parallel()
	for name, wanted := range map[string]string{
		"DeleteAccount": "", "TouchAccount": "", "InsertAccount": "",
		"GetAccount": "get", "SwapAccount": "swap", "GetAccountForUpdate": "lock",
		"GetAccountForUpdateNoWait": "lock nowait", "GetAccountForUpdateSkipLocked": "lock skip locked",
	} {
		text, err := generateOne(t, oneTable, without(name))
		if wanted != "" {
			require.ErrorContains(t, err, "no query is marked @cas "+wanted+" Account\n")
			continue
		}
		require.NoError(t, err, name)
		require.NotContains(t, text, name+"(")
	}
}

// Ensures that each way in which a marked query differs from its descriptor is refused, with what differs.
func TestMisfitsAreNamed(t *testing.T) {
	t.Parallel()
	for want, change := range map[string][2]string{
		"no get of Account: it reads id, version, and the descriptor id, owner, version": {
			"SELECT id, owner, version\nFROM account\nWHERE id = sqlc.arg(id);", "SELECT id, version FROM account WHERE id = ?;",
		},
		"no get of Account: it has a selected value": {
			"SELECT id, owner, version\nFROM account\nWHERE id = sqlc.arg(id);",
			"SELECT id, owner AS name, version FROM account WHERE id = ?;",
		},
		"its WHERE names owner, and the descriptor id": {
			"SELECT id, owner, version\nFROM account\nWHERE id = sqlc.arg(id);",
			"SELECT id, owner, version FROM account WHERE owner = ?;",
		},
		"its locking clause is another":                     {"FOR UPDATE NOWAIT", "FOR SHARE NOWAIT"},
		"it moves version by a number":                      {"version = version + sqlc.arg(steps)", "version = version + 1"},
		"it writes nothing, and the descriptor owner":       {"SET owner = sqlc.arg(owner), ", "SET "},
		"it has SET owner to what is neither":               {"SET owner = sqlc.arg(owner), ", "SET owner = UPPER(sqlc.arg(owner)), "},
		"it has more than FROM, WHERE and FOR UPDATE":       {"FOR UPDATE NOWAIT", "ORDER BY id FOR UPDATE NOWAIT"},
		"is marked @cas get Account, as GetAccount is":      {"-- @cas lock nowait Account", "-- @cas get Account"},
		"it writes id, and the descriptor id, owner":        {"(id, owner)\nVALUES (sqlc.arg(id), sqlc.arg(owner))", "(id) VALUES (?)"},
		"it has more than INSERT INTO table (columns)":      {"INSERT INTO", "INSERT IGNORE INTO"},
		"is marked @cas get Nobody, and no versioned table": {"-- @cas get Account", "-- @cas get Nobody"},
	} {
		_, err := generateOne(t, oneTable, func(queries string) string {
			require.Contains(t, queries, change[0])
			return strings.Replace(queries, change[0], change[1], 1)
		})
		require.ErrorContains(t, err, want)
	}
}

// Ensures that a query whose constant would hide a package from the generated file is refused.
func TestQueriesThatHideAPackage(t *testing.T) {
	t.Parallel()
	_, err := generateOne(t, oneTable, func(queries string) string {
		return queries + "\n-- name: Cmp :one\nSELECT owner FROM account WHERE id = sqlc.arg(id);\n"
	})
	require.ErrorContains(t, err, "sqlc makes a constant cmp of query Cmp")
}
