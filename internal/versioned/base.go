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

	opts  []sqlcas.Option    // the last one marks a Store's call
	set   *settings.Settings // what opts come to
	asOne []sqlcas.Option    // the same as one option
	bad   error              // what NewBase was given makes no sense
}

// NewBase makes a Base of a Store that locks or not. What is wrong with its arguments is the error of every
// call.
func NewBase[K comparable, R any](db *sql.DB, t sqlcas.Table[K, R], locks bool, opts []sqlcas.Option) Base[K, R] {
	b := Base[K, R]{DB: db, Table: t}
	if db == nil {
		b.bad = Invalid("NewStore: the *sql.DB is nil")
	} else if b.bad = incomplete(&t); b.bad == nil {
		b.bad = wrong(opts, locks)
	}
	b.opts = append(slices.Clip(slices.Clone(opts)), settings.ForStore())
	b.opts = slices.Clip(b.opts)
	set := settings.Peek(b.opts)
	b.set, b.asOne = &set, []sqlcas.Option{settings.Ready{Settings: &set}}
	return b
}

// wrong says what is wrong with a Store's options.
func wrong(opts []sqlcas.Option, locks bool) error {
	s := settings.Default()
	for i, o := range opts {
		if o == nil {
			return Invalid("NewStore: option %d is nil", i+1)
		}
		if err := o.Apply(&s); err != nil {
			return fmt.Errorf("NewStore: %w", err)
		}
	}
	switch {
	case s.Report != nil:
		return Invalid("NewStore: WithReport is for one call: give it to that")
	case s.OperationID != "" || s.Fingerprint != "":
		return Invalid("NewStore: WithOperationID and WithFingerprint are for one call: give them to that")
	case s.Lock != nil && !locks:
		return Invalid("NewStore: %s is for a pessimistic.Store, which reads FOR UPDATE: leave it out here", s.Lock.Option)
	}
	return nil
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
			return Invalid("NewStore: the Table %q has no %s", t.Schema.Name, field.name)
		}
	}
	return nil
}

// Start checks what every call needs, and returns the options of the Store and the call together, and
// what they come to. Neither is to be changed.
func (b *Base[K, R]) Start(
	ctx context.Context, method string, opts []sqlcas.Option,
) ([]sqlcas.Option, *settings.Settings, error) {
	if err := b.ready(ctx, method); err != nil {
		return nil, nil, err
	}
	if f := txn.Enclosing(ctx); f != nil {
		return nil, nil, nested(f, b.DB, method)
	}
	if len(opts) == 0 {
		return b.asOne, b.set, nil
	}
	for i, o := range opts {
		if o == nil {
			return nil, nil, Invalid("%s: option %d is nil", method, i+1)
		}
	}
	all := slices.Concat(b.opts, opts)
	set := settings.Peek(all)
	return all, &set, nil
}

// Settings are those of the Store.
func (b *Base[K, R]) Settings() *settings.Settings { return b.set }

// Get reads a row outside of any transaction. Inside of one on the same database that is a mistake.
func (b *Base[K, R]) Get(ctx context.Context, key K) (R, error) {
	var zero R
	if err := b.ready(ctx, "Get"); err != nil {
		return zero, err
	}
	f := txn.Enclosing(ctx)
	if inside, _ := f.On(b.DB); inside != nil {
		return zero, nested(f, b.DB, "Get")
	}
	return b.Read(ctx, key)
}

// Read is Get without its questions.
func (b *Base[K, R]) Read(ctx context.Context, key K) (row R, err error) {
	err = txn.Read(ctx, b.DB, func(ctx context.Context, db txn.DBTX) (err error) {
		row, err = b.Table.Get(ctx, db, key)
		return err
	})
	return Read(&b.Table, key, row, err)
}

// ready refuses what no call can work with.
func (b *Base[K, R]) ready(ctx context.Context, method string) error {
	if err := b.Bad(); err != nil {
		return err
	}
	if ctx == nil {
		return Invalid("%s: the context is nil: give context.Background() if there is no other", method)
	}
	return nil
}

// Owns refuses a transaction that is known to be of another pool.
func (b *Base[K, R]) Owns(ctx context.Context, method string, tx *sql.Tx) error {
	if db, known := txn.PoolOf(ctx, tx); known && db != b.DB {
		return Invalid("%s: the transaction is not of the *sql.DB of the Store of %s", method, b.Table.Schema.Name)
	}
	return nil
}

// Spoil makes the Store unusable, if it is not so already.
func (b *Base[K, R]) Spoil(err error) {
	if b.bad == nil {
		b.bad = err
	}
}

// Bad returns what makes the Store unusable, or nil.
func (b *Base[K, R]) Bad() error {
	if b.bad == nil && b.DB == nil {
		return Invalid("the Store is not made by NewStore")
	}
	return b.bad
}

func nested(f *txn.Frame, db *sql.DB, method string) error {
	inside, _ := f.On(db)
	switch {
	case inside != nil && method == "GetOrCreate":
		return fmt.Errorf("%w: GetOrCreate has a transaction of its own: call it before the one whose closure calls it",
			sqlcas.ErrNested)
	case inside != nil:
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
