package versioned

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
)

// run makes one attempt on the shelf.
func run(t *testing.T, s shelf, keys []string, change func(map[string]*item) error) (*All[string, item], map[string]item, error) {
	t.Helper()
	table := s.table()
	a := &All[string, item]{Table: table, Keys: Sorted(table, keys), Change: change}
	rows, err := a.Run(t.Context(), nil, reading(table))
	return a, rows, err
}

// Ensures that keys are put in order, each once, and that the caller's slice stays as it is.
func TestSortedLeavesTheCallersSlice(t *testing.T) {
	t.Parallel()
	keys := []string{"c", "a", "c", "b", "a"}
	require.Equal(t, []string{"a", "b", "c"}, Sorted(shelf{}.table(), keys))
	require.Equal(t, []string{"c", "a", "c", "b", "a"}, keys)
}

// Ensures that keys which name one row share it, that it is swapped once, and that the result has
// it under each of them.
func TestKeysThatNameOneRowShareIt(t *testing.T) {
	t.Parallel()
	s := shelf{'a': {ID: "apple", Count: 5, Version: 3}, 'b': {ID: "bean", Count: 5, Version: 1}}
	a, rows, err := run(t, s, []string{"avocado", "bean", "apple"}, func(rows map[string]*item) error {
		require.Len(t, rows, 3)
		require.Same(t, rows["apple"], rows["avocado"])
		rows["apple"].Count--
		rows["avocado"].Count--
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, item{ID: "apple", Count: 3, Version: 4}, s['a'])
	require.Equal(t, item{ID: "bean", Count: 5, Version: 2}, s['b'], "a row that is not changed is swapped as well")
	require.Equal(t, map[string]item{"apple": s['a'], "avocado": s['a'], "bean": s['b']}, rows)
	require.Equal(t, []Seen[string]{{"apple", 3}, {"bean", 1}}, a.Seen)
}

// Ensures that a closure cannot take rows out of the map, put others in, or give a row another key or
// version, and that nothing is swapped then.
func TestTheMapIsTheCallers(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(map[string]*item){
		"removed item bean":                   func(rows map[string]*item) { delete(rows, "bean") },
		"removed item apple":                  func(rows map[string]*item) { rows["apple"] = nil },
		"in the place of item apple":          func(rows map[string]*item) { c := *rows["apple"]; rows["apple"] = &c },
		"added rows to the map of item":       func(rows map[string]*item) { rows["corn"] = &item{} },
		"changed the key of item bean":        func(rows map[string]*item) { rows["bean"].ID = "corn" },
		"changed version of item bean from 1": func(rows map[string]*item) { rows["bean"].Version++ },
	} {
		s := shelf{'a': {ID: "apple", Version: 1}, 'b': {ID: "bean", Version: 1}}
		_, _, err := run(t, s, []string{"apple", "bean"}, func(rows map[string]*item) error {
			change(rows)
			return nil
		})
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
		require.EqualValues(t, 1, s['a'].Version, want)
		require.EqualValues(t, 1, s['b'].Version, want)
	}
}

// Ensures that a conflict is explained by all rows that have moved, in the order of their keys; that a
// row which is gone is the error; and that what cannot be found out leaves the error as it is.
func TestExplainNamesTheLosers(t *testing.T) {
	t.Parallel()
	s := shelf{'a': {ID: "a", Version: 7}, 'b': {ID: "b", Version: 1}, 'c': {ID: "c", Version: 4}}
	seen := []Seen[string]{{"a", 6}, {"b", 1}, {"c", 2}}
	exhausted := &sqlcas.ExhaustedError{Attempts: 3, Last: sqlcas.ErrConflict}
	base := s.base(t)
	current, err := ExplainAll(t.Context(), base, seen, exhausted)
	require.Equal(t, []item{s['a'], s['c']}, current)
	require.ErrorIs(t, err, sqlcas.ErrExhausted)
	require.ErrorIs(t, err, sqlcas.ErrConflict)
	var losers sqlcas.ConflictErrors
	require.ErrorAs(t, err, &losers)
	require.Equal(t, sqlcas.ConflictErrors{
		{Table: "item", Key: "a", Expected: 6, Actual: 7}, {Table: "item", Key: "c", Expected: 2, Actual: 4},
	}, losers)

	_, err = ExplainAll(t.Context(), base, append(slices.Clone(seen), Seen[string]{"x", 1}), exhausted)
	require.ErrorIs(t, err, sqlcas.ErrGone)

	for name, unexplained := range map[string]struct {
		seen []Seen[string]
		err  error
	}{
		"not a conflict":     {seen, errors.New("of the closure")},
		"nothing has moved":  {seen[1:2], exhausted},
		"the look-up failed": {[]Seen[string]{{"broken", 1}}, exhausted},
		"refused":            {seen, errors.Join(sqlcas.ErrTxAborted, sqlcas.ErrConflict)},
		"the context's end":  {seen, errors.Join(context.DeadlineExceeded, sqlcas.ErrConflict)},
	} {
		current, err := ExplainAll(t.Context(), base, unexplained.seen, unexplained.err)
		require.Empty(t, current, name)
		require.Equal(t, unexplained.err, err, name)
	}
}
