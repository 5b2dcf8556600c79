package versioned

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/settings"
	"github.com/sqlcas/sqlcas/internal/txn"
)

// Base is what a Store is made of. It does not change once made.
type Base[K comparable, R any] struct {
	DB    *sql.DB
	Table sqlcas.Table[K, R]

	opts []sqlcas.Option
	bad  error // what NewBase was given makes no sense
}

// NewBase makes a Base. What is wrong with its arguments is the error of every call.
func NewBase[K comparable, R any](db *sql.DB, t sqlcas.Table[K, R], opts []sqlcas.Option) Base[K, R] {
	b := Base[K, R]{DB: db, Table: t, opts: slices.Clone(opts)}
	switch s := settings.Peek(opts); {
	case db == nil:
		b.bad = Invalid("NewStore: the *sql.DB is nil")
	case s.Report != nil:
		b.bad = Invalid("NewStore: WithReport is for one call: give it to that")
	default:
		b.bad = incomplete(&t)
	}
	return b
}

// incomplete says what a table lacks that every Store needs.
func incomplete[K comparable, R any](t *sqlcas.Table[K, R]) error {
	for _, field := range []struct {
		name    string
		missing bool
	}{
		{"Schema.Name", t.Schema.Name == ""},
		{"Schema.Version", t.Schema.Version == ""},
		{"Key", t.Key == nil},
		{"Compare", t.Compare == nil},
		{"Version", t.Version == nil},
		{"SetVersion", t.SetVersion == nil},
		{"Get", t.Get == nil},
		{"Swap", t.Swap == nil},
	} {
		if field.missing {
			return Invalid("NewStore: the Table %s has no %s", t.Schema.Name, field.name)
		}
	}
	return nil
}

// Start checks what every call needs, and returns the options of the Store and the call together.
func (b *Base[K, R]) Start(
	ctx context.Context, method string, opts []sqlcas.Option,
) ([]sqlcas.Option, settings.Settings, error) {
	switch {
	case b == nil || b.DB == nil && b.bad == nil:
		return nil, settings.Settings{}, Invalid("%s: the Store is not made by NewStore", method)
	case b.bad != nil:
		return nil, settings.Settings{}, b.bad
	case ctx == nil:
		return nil, settings.Settings{}, Invalid("%s: the context is nil: give context.Background() if there is no other", method)
	}
	if f := txn.Enclosing(ctx); f != nil {
		return nil, settings.Settings{}, nested(f, b.DB, method)
	}
	all := slices.Concat(b.opts, opts)
	return all, settings.Peek(all), nil
}

// Options returns the options that a Start without a call's own would have.
func (b *Base[K, R]) Options() []sqlcas.Option { return b.opts }

// Bad returns what makes the Store unusable, or nil.
func (b *Base[K, R]) Bad() error { return b.bad }

func nested(f *txn.Frame, db *sql.DB, method string) error {
	if inside, _ := f.On(db); inside != nil {
		return fmt.Errorf("%w: %s would work outside of the transaction whose closure calls it: use the Store's In(tx)",
			sqlcas.ErrNested, method)
	}
	return fmt.Errorf("%w: %s inside the closure of a harness on another database, or of a plain Update, "+
		"would be repeated with it: call it outside", sqlcas.ErrNested, method)
}

// Invalid is an sqlcas.ErrInvalidArgument.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{sqlcas.ErrInvalidArgument}, args...)...)
}
