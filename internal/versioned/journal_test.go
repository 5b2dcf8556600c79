package versioned

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// line is an entry of the tests' journal.
type line struct{ values []any }

func lines(table string, columns ...string) *sqlcas.Journal[line] {
	return &sqlcas.Journal[line]{Table: table, Columns: columns, Values: func(l line) []any { return l.values }}
}

// enter enters entries in a database that answers everything, and returns what it was sent.
func enter(t *testing.T, j *sqlcas.Journal[line], entries ...line) ([]scriptdb.Statement, error) {
	t.Helper()
	script := scriptdb.New(nil)
	db := script.Open()
	defer func() { _ = db.Close() }()
	values, err := Values(j, entries)
	if err == nil {
		err = Enter(t.Context(), db, j, values)
	}
	return script.Sent(), err
}

// Ensures that entries are one INSERT with their values in order, and no entries none.
func TestEnterIsOneInsert(t *testing.T) {
	t.Parallel()
	sent, err := enter(t, lines("ledger", "account", "amount"), line{[]any{int64(1), "a"}}, line{[]any{int64(2), nil}})
	require.NoError(t, err)
	require.Len(t, sent, 1)
	require.Equal(t, "INSERT INTO `ledger` (`account`, `amount`) VALUES (?, ?), (?, ?)", sent[0].Query)
	for i, want := range []any{int64(1), "a", int64(2), nil} {
		require.Equal(t, want, sent[0].Arg(i))
	}
	sent, err = enter(t, lines("ledger", "account"))
	require.NoError(t, err)
	require.Empty(t, sent)
}

// Ensures that names are quoted whatever letters they have, and that a schema is told from its table at the first dot.
func TestEnterQuotesNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ledger": "`ledger`", "books.ledger": "`books`.`ledger`", "a`b.c`; DROP TABLE x": "`a``b`.`c``; DROP TABLE x`",
		"the order": "`the order`",
	} {
		sent, err := enter(t, lines(name, "a`b", "select"), line{[]any{int64(1), int64(2)}})
		require.NoError(t, err)
		require.Equal(t, "INSERT INTO "+want+" (`a``b`, `select`) VALUES (?, ?)", sent[0].Query)
	}
}

// Ensures that no statement has more parameters than a prepared one can have, and that all entries are sent, in order.
func TestEnterSplitsByParameters(t *testing.T) {
	t.Parallel()
	const columns, entries = 7, 20_001
	j := lines("ledger", "a", "b", "c", "d", "e", "f", "g")
	all := make([]line, entries)
	for i := range all {
		all[i] = line{[]any{int64(i), nil, nil, nil, nil, nil, nil}}
	}
	sent, err := enter(t, j, all...)
	require.NoError(t, err)
	require.Greater(t, len(sent), 2)
	next := int64(0)
	for _, st := range sent {
		require.LessOrEqual(t, len(st.Args), 65_535)
		require.Equal(t, len(st.Args), strings.Count(st.Query, "?"))
		for i := 0; i < len(st.Args); i += columns {
			require.Equal(t, next, st.Arg(i))
			next++
		}
	}
	require.EqualValues(t, entries, next)
}

// Ensures that a statement stays below a megabyte, if its entries do, though every byte has to be escaped; and that one
// entry beyond that is sent by itself.
func TestEnterSplitsByBytes(t *testing.T) {
	t.Parallel()
	quotes := strings.Repeat("'", 100<<10)
	for name, text := range map[string]any{"string": quotes, "bytes": []byte(quotes)} {
		all := make([]line, 11)
		for i := range all {
			all[i] = line{[]any{text}}
		}
		all[5] = line{[]any{strings.Repeat("x", 2<<20)}}
		sent, err := enter(t, lines("ledger", "memo"), all...)
		require.NoError(t, err, name)
		entries := 0
		for _, st := range sent {
			entries += len(st.Args)
			require.True(t, 2*len(st.Args)*100<<10 <= 1<<20 || len(st.Args) == 1, "%s: %d entries", name, len(st.Args))
			if text, ok := st.Arg(0).(string); ok && len(text) > 1<<20 {
				require.Len(t, st.Args, 1, name)
			}
		}
		require.Equal(t, len(all), entries, name)
	}
}

// Ensures that a wrong count of values is told with the table and both counts, and that a database error is told with
// the table and stays findable.
func TestEnterTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, values := range [][]any{nil, {1}, {1, 2, 3}} {
		sent, err := enter(t, lines("ledger", "a", "b"), line{[]any{1, 2}}, line{values})
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, fmt.Sprintf("Values of the Journal ledger returned %d values for 2 columns", len(values)))
		require.Empty(t, sent)
	}
	boom := errors.New("boom")
	db := scriptdb.New(func(context.Context, *scriptdb.Conn, scriptdb.Statement) (scriptdb.Reply, error) {
		return scriptdb.Reply{}, boom
	}).Open()
	defer func() { _ = db.Close() }()
	err := Enter(t.Context(), db, lines("ledger", "a"), [][]any{{int64(1)}})
	require.ErrorIs(t, err, boom)
	require.EqualError(t, err, "the entries of the journal ledger: boom")
}

// Ensures that long values are counted whatever type they come in, as an INSERT of many would be refused by the server.
func TestEnterCountsWhatValuesTake(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	type name string
	for _, value := range []any{
		long, []byte(long), json.RawMessage(long), name(long), &long,
		sql.NullString{String: long, Valid: true},
		sql.Null[[]byte]{V: []byte(long), Valid: true},
	} {
		entries := make([]line, 20)
		for i := range entries {
			entries[i] = line{[]any{value}}
		}
		sent, err := enter(t, lines("ledger", "memo"), entries...)
		require.NoError(t, err)
		require.Greater(t, len(sent), 3, "%T", value)
	}
	sent, err := enter(t, lines("ledger", "memo"), line{[]any{(*string)(nil)}}, line{[]any{sql.NullString{}}}, line{[]any{nil}})
	require.NoError(t, err)
	require.Len(t, sent, 1)
}
