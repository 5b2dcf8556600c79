package sqlcheck

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func parseText(text string) *Statement {
	return Parse(Source{"test.sql", text}, Span{0, len(text)})
}

// Ensures that a statement is parsed where it stands, and that its text is that part of the source.
func TestParse_span(t *testing.T) {
	t.Parallel()
	src := Source{"test.sql", "SELECT 1; UPDATE account SET balance = 1; SELECT 2"}
	s := Parse(src, Span{10, 40})
	require.NoError(t, s.Unparsed)
	require.NotNil(t, s.Node)
	require.Equal(t, "UPDATE account SET balance = 1", s.Text)
	require.Nil(t, s.Query)
	require.Equal(t, "SELECT 2", Parse(src, Span{42, 1000}).Text, "a span that ends behind the text")
	require.Empty(t, Parse(src, Span{-5, -1}).Text)
}

// Ensures that what the parser does not know, or what is not one statement, is unparsed and says why.
func TestParse_unparsed(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"RETURNING":        "DELETE FROM account WHERE id = 1 RETURNING id",
		"FOR SYSTEM_TIME":  "SELECT id FROM account FOR SYSTEM_TIME ALL",
		"nothing":          "",
		"a comment":        "-- SELECT 1",
		"two statements":   "SELECT 1; SELECT 2",
		"no SQL":           "lorem ipsum",
		"an open string":   "SELECT 'a",
		"invalid UTF-8":    "SELECT \xff\xfe FROM \x00",
		"deep brackets":    "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000),
		"deep functions":   "SELECT " + strings.Repeat("f(", 100_000),
		"INTERVAL":         "SELECT " + strings.Repeat("INTERVAL (", 40) + "1" + strings.Repeat(")", 40),
		"open INTERVAL":    "SELECT 1" + strings.Repeat(" + INTERVAL 1", 40),
		"JSON_VALUE":       "SELECT " + strings.Repeat("JSON_VALUE(", 40) + "a, '$'" + strings.Repeat(")", 40),
		"double subquery":  "SELECT " + strings.Repeat("1 IN ((SELECT ", 40) + "1",
		"many brackets":    "SELECT " + strings.Repeat("((((((SELECT ", 40) + "1",
		"a long NOT":       "SELECT " + strings.Repeat("NOT ", 1_000_000) + "1",
		"a long CASE":      "SELECT " + strings.Repeat("CASE WHEN ", 200_000),
		"a reserved word":  "SELECT id FROM account WHERE id = sqlc.arg(id) AND key = 1",
		"a misspelt macro": "SELECT id FROM account WHERE id = sqlc.arg(",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := parseText(text)
			require.Error(t, s.Unparsed)
			require.Nil(t, s.Node)
		})
	}
}

// Ensures that statements of MySQL and the ways of sqlc are known, long ones too.
func TestParse_known(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SELECT id FROM account WHERE id = ? FOR UPDATE OF account SKIP LOCKED",
		"SELECT id, ROW_NUMBER() OVER (PARTITION BY owner ORDER BY id) AS n FROM account",
		"INSERT INTO account (id) VALUES (sqlc.arg(id)) AS new ON DUPLICATE KEY UPDATE id = new.id",
		"SELECT sqlc.embed(account) FROM account WHERE id IN (sqlc.slice('ids')) AND owner = sqlc.narg(owner)",
		"SELECT id FROM account WHERE version < sqlc.arg(before) AND owner = sqlc.arg(system)",
		"CREATE TRIGGER t BEFORE UPDATE ON account FOR EACH ROW BEGIN SET NEW.version = OLD.version + 1; END",
		"START TRANSACTION",
		"SELECT 1 FROM a WHERE b > NOW()" + strings.Repeat(" OR b < NOW() - INTERVAL ? DAY AND c < d + INTERVAL '1:1' DAY_SECOND", 100),
		"SELECT ((SELECT ((SELECT JSON_VALUE(a, '$.b')))))" + strings.Repeat(", ((SELECT JSON_VALUE(a, '$.b')))", 100),
		"INSERT INTO account (owner) VALUES ('" + strings.Repeat("x", 2<<20) + "')",
		"INSERT INTO account (id) VALUES (1)" + strings.Repeat(", (1)", 100_000),
	} {
		s := parseText(text)
		require.NoError(t, s.Unparsed, "%.80s", text)
		require.NotNil(t, s.Node)
		require.Equal(t, text, s.Text)
	}
}

// Ensures that goroutines may parse at the same time. It needs the race detector to fail for sure.
func TestParse_concurrently(t *testing.T) {
	t.Parallel()
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 50 {
				s := parseText("SELECT id FROM account WHERE id = sqlc.arg(id)")
				if s.Unparsed != nil || len(s.Params()) != 1 {
					t.Error(s.Unparsed)
				}
				parseText("SELECT 'a")
			}
		})
	}
	workers.Wait()
}

// Ensures that parameters come in their order, with their names and where they are written, whatever else
// looks like one; and that text that is not parsed has them too.
func TestStatement_Params(t *testing.T) {
	t.Parallel()
	const head = "SELECT 1;\n"
	text := "SELECT '?', \"?\", `?` /* ? */ -- ?\n" +
		"FROM account # ?\n" +
		"WHERE id = ? AND owner = sqlc.arg(owner) AND balance > sqlc.narg('balance')\n" +
		"AND version IN (sqlc . slice ( \"versions\" )) AND x = sqlc.embed(y) AND a.arg(z) = 1 AND /*! id <> ? */ 1 RETURNING"
	src := Source{"test.sql", head + text}
	s := Parse(src, Span{len(head), len(src.Text)})
	require.Error(t, s.Unparsed)
	type param struct {
		kind       ParamKind
		name, text string
	}
	var got []param
	for _, p := range s.Params() {
		got = append(got, param{p.Kind, p.Name, src.Text[p.Span.Start:p.Span.End]})
	}
	require.Equal(t, []param{
		{ParamMark, "", "?"},
		{ParamArg, "owner", "sqlc.arg(owner)"},
		{ParamNarg, "balance", "sqlc.narg('balance')"},
		{ParamSlice, "versions", `sqlc . slice ( "versions" )`},
		{ParamMark, "", "?"},
	}, got)
}

// Ensures that the tree has every parameter that the text has: a rule that asks the tree misses none.
func TestUsedParams(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SELECT ?, f(?) FROM account a JOIN (SELECT ?) b ON a.id = ? WHERE ? GROUP BY ? HAVING ? ORDER BY ? LIMIT ?, ?",
		"SELECT SUM(?) OVER w, LAG(a, ?, ?) OVER (PARTITION BY ? ORDER BY ? ROWS ? PRECEDING) FROM t WINDOW w AS (ORDER BY ?)",
		"WITH x AS (SELECT ?) SELECT ? UNION SELECT ? ORDER BY ? LIMIT ?",
		"WITH x AS (SELECT ?) UPDATE t SET a = ?, b = CASE ? WHEN ? THEN ? ELSE ? END WHERE c IN (?, ?) ORDER BY ? LIMIT ?",
		"DELETE a FROM a JOIN b ON a.x = ? WHERE a.y BETWEEN ? AND ? AND a.z REGEXP ? AND (a.p, a.q) = (?, ?)",
		"INSERT INTO t (a, b) VALUES (?, COALESCE(?, ?)) ON DUPLICATE KEY UPDATE a = ?",
		"INSERT INTO t (a) SELECT sqlc.arg(x) FROM u WHERE MATCH (a) AGAINST (sqlc.arg(y)) AND b = ANY (SELECT sqlc.narg(z))",
		"SELECT GROUP_CONCAT(a ORDER BY ? SEPARATOR ',') FROM t WHERE a COLLATE utf8mb4_bin = ? AND (? IS TRUE) AND b < NOW() - INTERVAL ? DAY",
		"CALL p(?, ?)",
	} {
		s := parseText(text)
		require.NoError(t, s.Unparsed, text)
		require.Len(t, usedParams(s), len(s.Params()), text)
	}
}
