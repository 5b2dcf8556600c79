package sqlcheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that a query file's statements carry what the comments before them say, in the way that sqlc reads
// them: those above the name count too, and so does one within the statement.
func TestQueries(t *testing.T) {
	t.Parallel()
	src := Source{"account.sql", `-- Queries of accounts.

-- name: GetAccount :one
-- GetAccount reads one; with its version.
--  @cas  get Account
SELECT id, -- the key
  version
-- from where
FROM account WHERE id = ?;

/* name: Deduct :execrows */
# @cas
UPDATE account SET balance = ? WHERE id = ?;
SELECT 1;
# name: List :many
/* all of them */
/*+ a hint */ SELECT id FROM account
`}
	statements := Queries(src)
	require.Len(t, statements, 4)

	get := statements[0].Query
	require.Equal(t, "GetAccount", get.Name)
	require.Equal(t, "one", get.Command)
	require.Equal(t, "GetAccount", src.Text[get.Span.Start:get.Span.End])
	require.Equal(t, []string{
		" Queries of accounts.", " GetAccount reads one; with its version.", "  @cas  get Account", " from where",
	}, get.Comments)
	require.True(t, get.Marked)
	require.Equal(t, "get Account", get.CAS)
	require.True(t, strings.HasPrefix(statements[0].Text, "SELECT id, -- the key"))
	require.True(t, strings.HasSuffix(statements[0].Text, "id = ?"))

	deduct := statements[1].Query
	require.Equal(t, "Deduct", deduct.Name)
	require.Equal(t, "execrows", deduct.Command)
	require.True(t, deduct.Marked)
	require.Empty(t, deduct.CAS)

	require.Nil(t, statements[2].Query)
	list := statements[3].Query
	require.Equal(t, "List", list.Name)
	require.Equal(t, []string{" all of them "}, list.Comments)
	require.False(t, list.Marked)
}

// Ensures that a name counts exactly where it does for sqlc 1.31: at the start of a line, with one blank
// between words and a command that it knows.
func TestQueries_heads(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"-- name: A :one\n":                  "A one",
		"-- name: A :one\r\n":                "A one",
		"-- name: A :one  \n":                "A one",
		"# name: A :execlastid\n":            "A execlastid",
		"/* name: A :copyfrom */\n":          "A copyfrom",
		"-- name: _a1 :batchexec\n":          "_a1 batchexec",
		"-- text\n-- name: A :one\n":         "A one",
		"-- name: A :one\n\n\n":              "A one",
		"-- name: A :x\n-- name: B :one\n":   "B one",
		"-- name: A :one\n-- name: B :one\n": "A one",
		"  -- name: A :one\n":                "",
		"--name: A :one\n":                   "",
		"--  name: A :one\n":                 "",
		"-- name:A :one\n":                   "",
		"-- name: A  :one\n":                 "",
		"-- name: \tA :one\n":                "",
		"-- name: A\n":                       "",
		"-- name: A one\n":                   "",
		"-- name: A :two\n":                  "",
		"-- name: 1A :one\n":                 "",
		"-- name: A-B :one\n":                "",
		"-- name: A :one of many\n":          "",
		"-- NAME: A :one\n":                  "",
		"/* name: A :one*/\n":                "",
		"// name: A :one\n":                  "",
		"":                                   "",
	} {
		statements := Queries(Source{"test.sql", head + "SELECT 1;"})
		require.Len(t, statements, 1, head)
		got := ""
		if q := statements[0].Query; q != nil {
			got = q.Name + " " + q.Command
		}
		require.Equal(t, want, got, head)
	}
	behind := Queries(Source{"test.sql", "SELECT 1; -- name: A :one\nSELECT 2\n-- name: B :one\n;"})
	require.Len(t, behind, 2)
	require.Nil(t, behind[0].Query)
	require.Equal(t, "B", behind[1].Query.Name, "behind a semicolon is no name, within a statement is one")
}

// Ensures that only the word @cas marks a query, at the start of a comment.
func TestQueries_marked(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]string{
		"-- @cas": "", "--@cas\tswap Account ": "swap Account", "/* @cas delete */": "delete",
		"-- @case": "-", "-- see @cas": "-", "-- cas": "-",
	} {
		q := Queries(Source{"test.sql", "-- name: A :execrows\n" + comment + "\nDELETE FROM account;"})[0].Query
		require.Equal(t, want != "-", q.Marked, comment)
		require.Equal(t, strings.Trim(want, "-"), q.CAS, comment)
	}
}

// Ensures that no text makes Queries panic, that its statements are within the text, in order and apart from
// each other, and that names and parameters are where they say.
func FuzzQueries(f *testing.F) {
	paths, err := filepath.Glob("testdata/rules/*.sql")
	require.NoError(f, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		for _, part := range strings.Split(string(text), "\n\n") {
			f.Add(part)
		}
	}
	f.Add("-- name: A :one\r\nSELECT '\\' /*! ? */ ` -- sqlc.arg(x)")
	f.Add("/* name: */")
	f.Fuzz(func(t *testing.T, text string) {
		src := Source{"fuzz.sql", text}
		end := 0
		statements := Queries(src)
		for _, s := range statements {
			require.True(t, s.Span.Start >= end && s.Span.End > s.Span.Start && s.Span.End <= len(text), "%+v after %d", s.Span, end)
			end = s.Span.End
			require.Equal(t, text[s.Span.Start:s.Span.End], s.Text)
			require.True(t, (s.Node == nil) == (s.Unparsed != nil))
			if q := s.Query; q != nil {
				require.Equal(t, q.Name, text[q.Span.Start:q.Span.End])
			}
			for _, p := range s.Params() {
				require.True(t, p.Span.Start >= s.Span.Start && p.Span.End <= s.Span.End && p.Span.Start < p.Span.End, "%+v", p)
			}
		}
		Allow(src, statements, nil)
		AllowLines(src, nil)
	})
}
