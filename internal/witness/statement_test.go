package witness

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// Ensures which statements count as the end of the transaction, by name or implicitly: the harness
// refuses those, and must let pass what a closure may do.
func TestWhatEndsATransaction(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"COMMIT":                             true,
		"  commit work ":                     true,
		"-- note\nCOMMIT":                    true,
		"# note\r\nCOMMIT AND CHAIN":         true,
		"/* note */ /* more */ COMMIT":       true,
		"; COMMIT":                           true,
		"BEGIN":                              true,
		"START TRANSACTION READ ONLY":        true,
		"ROLLBACK":                           true,
		"ROLLBACK WORK":                      true,
		"ROLLBACK AND NO CHAIN":              true,
		"ALTER TABLE a ADD b INT":            true,
		"CREATE TABLE a (id INT)":            true,
		"CREATE OR REPLACE TABLE a (id INT)": true,
		"CREATE UNIQUE INDEX i ON a (id)":    true,
		"DROP TABLE a":                       true,
		"TRUNCATE a":                         true,
		"RENAME TABLE a TO b":                true,
		"LOCK TABLES a WRITE":                true,
		"UNLOCK TABLES":                      true,
		"GRANT SELECT ON a TO b":             true,
		"SET autocommit = 1":                 true,
		"SET SESSION AUTOCOMMIT=1":           true,
		"SET @@autocommit = 1":               true,
		"ANALYZE TABLE a":                    true,
		"ANALYZE LOCAL TABLE a":              true,
		"CHECK TABLE a":                      true,
		"OPTIMIZE TABLE a":                   true,
		"REPAIR TABLE a":                     true,
		"FLUSH TABLES":                       true,
		"LOAD INDEX INTO CACHE a":            true,
		"/*!50000 */ COMMIT":                 true,
		"/*!999999 SELECT */ COMMIT":         true,
		"/* c */ /*!999999 SELECT */ COMMIT": true,
		"SET STATEMENT x=1 FOR /*!999999 SELECT */ COMMIT": true,
		"SET/**/STATEMENT x=1 FOR/**/TRUNCATE a":           true,
		"SET/**/PASSWORD = 'x'":                            true,
		"SET @a = 1, PASSWORD = 'x'":                       true,
		"SET PASSWORD FOR a = 'x'":                         true,
		"SET DEFAULT ROLE a TO b":                          true,
		"SET @autocommit_seen = 1":                         false,
		"SET @password = 1, @b = 2":                        false,
		"SET @note = 'autocommit = 1'":                     false,
		"SET @note = 'user, password = 1'":                 false,
		"SET @old = @@autocommit":                          false,
		"SET TRANSACTION ISOLATION LEVEL READ COMMITTED":   false,
		"/*!50000 COMMIT */":                               true,
		"/*! COMMIT */":                                    true,
		"/*M!100100 ALTER TABLE a ADD b INT */":            true,
		"\f\vCOMMIT":                                       true,
		"SET PASSWORD = 'x'":                               true,
		"STOP REPLICA":                                     true,
		"XA END 'x'":                                       true,
		"SET STATEMENT max_statement_time=1 FOR ALTER TABLE a ADD b INT": true,
		"SET STATEMENT max_statement_time=1 FOR SELECT 1":                false,
		"/*!40001 SELECT */ 1":                    false,
		"ANALYZE UPDATE a SET b = 1":              false,
		"LOAD DATA LOCAL INFILE 'x' INTO TABLE a": false,
		"ROLLBACK TO SAVEPOINT s":                 false,
		"rollback to s":                           false,
		"ROLLBACK WORK TO SAVEPOINT s":            false,
		"SAVEPOINT s":                             false,
		"RELEASE SAVEPOINT s":                     false,
		"CREATE TEMPORARY TABLE a (id INT)":       false,
		"CREATE OR REPLACE TEMPORARY TABLE a (b)": false,
		"DROP TEMPORARY TABLE a":                  false,
		"SELECT 'COMMIT'":                         false,
		"(SELECT 1)":                              false,
		"INSERT INTO a VALUES ('ROLLBACK')":       false,
		"UPDATE a SET begin = 1":                  false,
		"SET @a = 1":                              false,
		"SET NAMES utf8mb4":                       false,
		"committed":                               false,
		"commit_log":                              false,
		"":                                        false,
		"--":                                      false,
		"/* never closed COMMIT":                  false,
	} {
		require.Equal(t, want, endsTransaction(query), "endsTransaction(%q)", query)
	}
}

// Ensures that Keyword finds the first word past blanks, brackets and comments.
func TestKeyword(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"update a":                       "UPDATE",
		"-- name: DeductBalance\nUPDATE": "UPDATE",
		"/*a*/(/*b*/ select 1)":          "SELECT",
		"\n\t ; insert":                  "INSERT",
		"SELECT(1)":                      "SELECT",
		"123":                            "",
		"":                               "",
		"-- only a comment":              "",
	} {
		require.Equal(t, want, Keyword(query), "Keyword(%q)", query)
	}
}

// Ensures that a long statement is cut in the error's text, and its line breaks taken out.
func TestRefusalShortensTheStatement(t *testing.T) {
	t.Parallel()
	err := &EndedByStatementError{Query: "DROP\n\tTABLE " + strings.Repeat("a, ", 100)}
	require.Less(t, len(err.Error()), 300)
	require.Contains(t, err.Error(), "DROP TABLE a, a")
	require.Contains(t, err.Error(), `..."`)
}

// Ensures that the record tells what a transaction wrote: the statements that changed a row with
// their counts, arguments of those that changed one, copied; and that it says when it is not the
// whole story.
func TestTheRecordTellsWhatWasWritten(t *testing.T) {
	t.Parallel()
	script := replying("UPDATE many", scriptdb.Reply{Affected: 3}, nil)
	sess := begin(t, script)
	key := []byte("key")
	for _, st := range []struct {
		query string
		args  []any
	}{
		{"UPDATE a SET b = ? WHERE k = ?", []any{int64(1), key}},
		{"UPDATE many", nil},
		{"SELECT 1", nil},
		{"SET @a = 1", nil},
		{"SAVEPOINT s", nil},
	} {
		_, err := sess.Tx.Exec(st.query, st.args...)
		require.NoError(t, err)
	}
	key[0] = 'X' // the caller uses its buffer again
	writes, complete := sess.Writes()
	require.True(t, complete)
	require.Equal(t, []Write{
		{Query: "UPDATE a SET b = ? WHERE k = ?", Args: writes[0].Args, Affected: 1},
		{Query: "UPDATE many", Affected: 3},
	}, writes)
	require.Equal(t, []byte("key"), writes[0].Args[1])
	require.Equal(t, 2, sess.Changes())

	_, err := sess.Tx.Exec("ROLLBACK TO SAVEPOINT s")
	require.NoError(t, err)
	_, complete = sess.Writes()
	require.False(t, complete, "a part was taken back")
}

// Ensures that a record of more than it can remember says so.
func TestARecordThatIsFullSaysSo(t *testing.T) {
	t.Parallel()
	sess := begin(t, scriptdb.New(replyTo("", scriptdb.Reply{}, nil)))
	for range maxWrites {
		_, err := sess.Tx.Exec("UPDATE a SET b = 1")
		require.NoError(t, err)
	}
	writes, complete := sess.Writes()
	require.Len(t, writes, maxWrites)
	require.True(t, complete)
	_, err := sess.Tx.Exec("UPDATE a SET b = 1")
	require.NoError(t, err)
	writes, complete = sess.Writes()
	require.Len(t, writes, maxWrites)
	require.False(t, complete)
	require.Equal(t, maxWrites+1, sess.Changes())
}

// Ensures that a statement which affected no row is no change, unless its count may be that of the
// last of several statements inside of it.
func TestWhatCountsAsAChange(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{
		"UPDATE a SET b = 1":                0,
		"DELETE FROM a":                     0,
		"CREATE TEMPORARY TABLE a (id INT)": 0,
		"CALL pay()":                        1,
	} {
		sess := begin(t, replying(query, scriptdb.Reply{}, nil))
		_, err := sess.Tx.Exec(query)
		require.NoError(t, err)
		require.Equal(t, want, sess.Changes(), query)
	}
}

// Ensures that rows which a query returns after a change, as INSERT ... RETURNING does, count as
// one.
func TestAQueryThatWritesIsAChange(t *testing.T) {
	t.Parallel()
	sess := begin(t, replying("INSERT INTO a VALUES (1) RETURNING id", one(), nil))
	var id int
	require.NoError(t, sess.Tx.QueryRow("INSERT INTO a VALUES (1) RETURNING id").Scan(&id))
	require.Equal(t, 1, sess.Changes())
}
