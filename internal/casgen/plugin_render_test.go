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

// Ensures that each way in which a marked query differs from its descriptor is refused, with what differs; also
// where a comment allows what a rule has found in it.
func TestMisfitsAreNamed(t *testing.T) {
	t.Parallel()
	const get = "SELECT id, owner, version\nFROM account\nWHERE id = sqlc.arg(id);"
	for _, c := range []struct{ want, from, to string }{
		{"no get of Account: it is :many and not :one", "GetAccount :one", "GetAccount :many"},
		{
			"no get of Account: it reads id, version, and the descriptor id, owner, version",
			get,
			"SELECT id, version FROM account WHERE id = ?;",
		},
		{
			"no get of Account: it has a selected value",
			get,
			"SELECT id, owner AS name, version FROM account WHERE id = ?;",
		},
		{"its table is plain and not account", get, "SELECT id, owner, version FROM plain WHERE id = ?;"},
		{
			"its WHERE names owner, and the descriptor id",
			get,
			"SELECT id, owner, version FROM account WHERE owner = ?;",
		},
		{
			"it has more than one table",
			get,
			"SELECT id, owner, version FROM account JOIN plain USING (id) WHERE id = ?;",
		},
		{
			"it has a parameter for something else than a column", "-- @cas get Account\n" + get,
			"-- @cas get Account\n-- sqlcas:allow CAS019 for this test\n" +
				"SELECT id, owner, version FROM account AS OF TIMESTAMP ? WHERE id = ?;",
		},
		{"its locking clause is another", "FOR UPDATE NOWAIT", "FOR SHARE NOWAIT"},
		{"it has more than FROM, WHERE and FOR UPDATE", "FOR UPDATE NOWAIT", "ORDER BY id FOR UPDATE NOWAIT"},
		{"it moves version by a number", "version = version + sqlc.arg(steps)", "version = version + 1"},
		{"it writes nothing, and the descriptor owner", "SET owner = sqlc.arg(owner), ", "SET "},
		{
			"it has SET owner to what is neither",
			"SET owner = sqlc.arg(owner), ",
			"SET owner = UPPER(sqlc.arg(owner)), ",
		},
		{
			"it does not move version",
			"-- @cas swap Account\nUPDATE account\nSET owner = sqlc.arg(owner), version = version + sqlc.arg(steps)",
			"-- @cas swap Account\n-- sqlcas:allow CAS002 for this test\nUPDATE account\nSET owner = sqlc.arg(owner)",
		},
		{
			"it is not DELETE",
			"-- @cas delete Account\nDELETE FROM account\n",
			"-- @cas delete Account\nUPDATE account SET version = version + 1\n",
		},
		{
			"it writes id, and the descriptor id, owner",
			"(id, owner)\nVALUES (sqlc.arg(id), sqlc.arg(owner))",
			"(id) VALUES (?)",
		},
		{"it has more than INSERT INTO table (columns)", "INSERT INTO", "INSERT IGNORE INTO"},
		{"is marked @cas get Account, as GetAccount is", "-- @cas lock nowait Account", "-- @cas get Account"},
		{
			"no touch of Account: it moves version by a parameter, which may be 0",
			"SET version = version + 1",
			"SET version = version + sqlc.arg(steps)",
		},
		{"no touch of Account: it has SET version to itself and what is not a number above 0", "version + 1", "version + 0"},
		{
			"no swap of Account: owner and version are one parameter Owner",
			"SET owner = sqlc.arg(owner), version = version + sqlc.arg(steps)\nWHERE id = sqlc.arg(id) AND version = sqlc.arg(version)",
			"SET owner = sqlc.arg(owner), version = version + sqlc.arg(steps)\nWHERE id = sqlc.arg(id) AND version = sqlc.arg(Owner)",
		},
		{
			"no swap of Account: version and version are one parameter steps",
			"+ sqlc.arg(steps)\nWHERE id = sqlc.arg(id) AND version = sqlc.arg(version);",
			"+ sqlc.arg(steps)\nWHERE id = sqlc.arg(id) AND version = sqlc.arg('steps');",
		},
		{
			"no swap of Account: it has sqlc.narg in WHERE",
			"+ sqlc.arg(steps)\nWHERE id = sqlc.arg(id) AND version = sqlc.arg(version)",
			"+ sqlc.arg(steps)\nWHERE id = sqlc.narg(id) AND version = sqlc.arg(version)",
		},
		{"is marked @cas get Nobody, and no versioned table", "-- @cas get Account", "-- @cas get Nobody"},
	} {
		_, err := generateOne(t, oneTable+plainTable, func(queries string) string {
			require.Contains(t, queries, c.from)
			return strings.Replace(queries, c.from, c.to, 1)
		})
		require.ErrorContains(t, err, c.want)
	}
}

const plainTable = "CREATE TABLE plain (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, owner VARCHAR(9) NOT NULL,\n" +
	"version BIGINT UNSIGNED NOT NULL);\n"

// Ensures that a write of one's own is only marked @cas where 0 rows can mean nothing but a conflict; also where a
// comment allows what a rule has found in it.
func TestMarkedWritesAreSwaps(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		":execrows\n-- @cas\nUPDATE account SET version = version + 1 WHERE id = ? AND version = ?;":              "",
		":execrows\n-- @cas\nUPDATE account SET version = version + 1 WHERE ? = version AND (id = ?);":            "",
		":execresult\n-- @cas\nUPDATE account SET version = version + 1 WHERE id = ? AND version = ?;":            "make it :execrows",
		":execrows\n-- @cas\nUPDATE plain SET version = version + 1 WHERE id = ? AND version = ?;":                "plain is no versioned table",
		":execrows\n-- @cas\n-- sqlcas:allow CAS017,CAS007 for this test\nDELETE FROM account WHERE version = ?;": "a WHERE of version:",
		":execrows\n-- @cas\n-- sqlcas:allow CAS017 for this test\n" +
			"DELETE FROM account WHERE id = ? AND version = ? AND owner <> ?;": "a condition that is not column = parameter",
		":execrows\n-- @cas\nDELETE FROM account WHERE id = ? AND version = ? LIMIT 1;":                                             "more than FROM and WHERE",
		":execrows\n-- @cas\nUPDATE account SET version = version + sqlc.arg(n) WHERE id = ? AND version = ?;":                      "write version = version + 1",
		":execrows\n-- @cas\nUPDATE account SET version = version + 0 WHERE id = ? AND version = ?;":                                "write version = version + 1",
		":execrows\n-- @cas\nUPDATE account SET version = 2 + version WHERE id = ? AND version = ?;":                                "",
		":execrows\n-- @cas\nUPDATE account SET owner = ?, version = version + 1 WHERE id = sqlc.arg(n) AND version = sqlc.arg(n);": "id and version are one parameter n",
		":execrows\n-- @cas\nUPDATE account SET owner = sqlc.arg(v), version = version + 1 WHERE id = ? AND version = sqlc.arg(v);": "owner and version " +
			"are one parameter v",
		":execrows\n-- @cas\nUPDATE account SET version = version + 1 WHERE id = sqlc.arg(id) AND version = sqlc.narg(v);": "sqlc.narg in WHERE",
	} {
		text, err := generateOne(t, oneTable+plainTable, func(queries string) string {
			return queries + "\n-- name: Mine " + query
		})
		if want == "" {
			require.NoError(t, err, query)
			require.Contains(t, text, "MineOrConflict(")
			continue
		}
		require.ErrorContains(t, err, want, query)
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
