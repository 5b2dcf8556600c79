package versioned

import (
	"context"
	"errors"

	"github.com/sqlcas/sqlcas"
)

// Seen is a row that an attempt had read.
type Seen[K comparable] struct {
	Key     K
	Version uint64
}

// Explain is ExplainAll for a call about one row, whose conflict is a *sqlcas.ConflictError. It returns
// the row if it found it at another version.
func Explain[K comparable, R any](
	ctx context.Context, b *Base[K, R], seen []Seen[K], err error,
) (current []R, explained error) {
	current, explained = ExplainAll(ctx, b, seen, err)
	var losers sqlcas.ConflictErrors
	if errors.As(explained, &losers) {
		return current, instead(losers[0], explained)
	}
	return current, explained
}

// ExplainAll looks, after a call that ends with a conflict, at what became of the rows that its last
// attempt had read, so that the error says which of them were lost to whom, or are gone. It returns
// the rows that it found at another version. Where it finds out nothing, err stays as it is.
func ExplainAll[K comparable, R any](
	ctx context.Context, b *Base[K, R], seen []Seen[K], err error,
) (current []R, explained error) {
	if !endedInConflict(err) || ctx.Err() != nil {
		return nil, err
	}
	var losers sqlcas.ConflictErrors
	for _, s := range seen {
		row, failed := b.Read(ctx, s.Key)
		switch {
		case errors.Is(failed, sqlcas.ErrGone):
			return nil, failed
		case failed != nil:
			return nil, err
		case b.Table.Version(row) != s.Version:
			current = append(current, row)
			losers = append(losers, Conflict(&b.Table, s.Key, s.Version, b.Table.Version(row)))
		}
	}
	if len(losers) == 0 {
		return nil, err
	}
	return current, instead(losers, err)
}

// endedInConflict reports whether a conflict is what the call has ended with, and not what an attempt
// before its last one met.
func endedInConflict(err error) bool {
	switch err := err.(type) { // bare, as the harness returns them
	case *sqlcas.ConflictError:
		return true
	case *sqlcas.ExhaustedError:
		return errors.Is(err, sqlcas.ErrConflict)
	}
	return false
}

// instead puts a cause in the place of the conflict that a call has ended with.
func instead(cause, err error) error {
	var exhausted *sqlcas.ExhaustedError
	if errors.As(err, &exhausted) {
		return &sqlcas.ExhaustedError{Attempts: exhausted.Attempts, Elapsed: exhausted.Elapsed, Last: cause}
	}
	return cause
}
