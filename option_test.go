package sqlcas_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// Ensures that every option refuses values that make no sense by an ErrInvalidArgument that names
// it, and that neither harness starts anything for it: no attempt, no statement, no connection.
func TestBadOptionsAreNamedBeforeAnySQL(t *testing.T) {
	t.Parallel()
	delays := sqlcas.WithDelays(time.Millisecond, time.Second)
	backOff := sqlcas.WithBackOff(everyMillisecond)
	for name, tc := range map[string]struct {
		opts []sqlcas.Option
		want []string
	}{
		"no attempts":         {[]sqlcas.Option{sqlcas.WithMaxAttempts(0)}, []string{"WithMaxAttempts(0)"}},
		"negative attempts":   {[]sqlcas.Option{sqlcas.WithMaxAttempts(-3)}, []string{"WithMaxAttempts(-3)"}},
		"no time":             {[]sqlcas.Option{sqlcas.WithMaxElapsed(0)}, []string{"WithMaxElapsed(0s)"}},
		"negative time":       {[]sqlcas.Option{sqlcas.WithMaxElapsed(-1)}, []string{"WithMaxElapsed"}},
		"no base":             {[]sqlcas.Option{sqlcas.WithDelays(0, time.Second)}, []string{"WithDelays"}},
		"negative base":       {[]sqlcas.Option{sqlcas.WithDelays(-1, time.Second)}, []string{"WithDelays"}},
		"longest below base":  {[]sqlcas.Option{sqlcas.WithDelays(2, 1)}, []string{"WithDelays"}},
		"no back-off":         {[]sqlcas.Option{sqlcas.WithBackOff(nil)}, []string{"WithBackOff(nil)"}},
		"no commit time":      {[]sqlcas.Option{sqlcas.WithCommitTimeout(0)}, []string{"WithCommitTimeout"}},
		"unknown isolation":   {[]sqlcas.Option{sqlcas.WithIsolation(99)}, []string{"WithIsolation(99)"}},
		"negative isolation":  {[]sqlcas.Option{sqlcas.WithIsolation(-1)}, []string{"WithIsolation(-1)"}},
		"no observer":         {[]sqlcas.Option{sqlcas.WithObserver(nil)}, []string{"WithObserver(nil)"}},
		"no report":           {[]sqlcas.Option{sqlcas.WithReport(nil)}, []string{"WithReport(nil)"}},
		"no classifier":       {[]sqlcas.Option{sqlcas.WithClassifier(nil)}, []string{"WithClassifier(nil)"}},
		"a nil option":        {[]sqlcas.Option{delays, nil}, []string{"option 2 is nil"}},
		"delays, back-off":    {[]sqlcas.Option{delays, backOff}, []string{"WithDelays", "WithBackOff"}},
		"back-off, delays":    {[]sqlcas.Option{backOff, delays}, []string{"WithDelays", "WithBackOff"}},
		"the second of three": {[]sqlcas.Option{delays, sqlcas.WithMaxAttempts(0), backOff}, []string{"WithMaxAttempts"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			script := scriptdb.New(nil)
			db := pool(t, script)
			retryTx := sqlcas.RetryTx(t.Context(), db, func(context.Context, *sql.Tx) error { calls++; return nil }, tc.opts...)
			for _, err := range []error{sqlcas.Retry(t.Context(), answers(&calls, won), tc.opts...), retryTx} {
				require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
				for _, want := range tc.want {
					require.ErrorContains(t, err, want)
				}
			}
			require.Zero(t, calls, "attempts")
			require.Zero(t, script.Dialed(), "connections")
		})
	}
}

// Ensures that the options of transactions are refused by Retry, which names them.
func TestRetryRefusesOptionsOfTransactions(t *testing.T) {
	t.Parallel()
	for _, o := range []sqlcas.Option{sqlcas.WithCommitTimeout(time.Second), sqlcas.WithIsolation(sql.LevelReadCommitted)} {
		calls := 0
		err := sqlcas.Retry(t.Context(), answers(&calls, won), o)
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, "WithCommitTimeout and WithIsolation")
		require.Zero(t, calls, "attempts")
	}
}

// Ensures that a nil closure and a nil pool are errors that say which is nil.
func TestNilClosureAndNilPoolAreNamed(t *testing.T) {
	t.Parallel()
	script := scriptdb.New(nil)
	db := pool(t, script)
	fn := func(context.Context, *sql.Tx) error { return nil }
	_, resultErr := sqlcas.RetryTxResult[int](t.Context(), db, nil)
	_, resultNilDB := sqlcas.RetryTxResult(t.Context(), nil, func(context.Context, *sql.Tx) (int, error) { return 1, nil })
	for want, err := range map[string]error{
		"Retry: the attempt":                sqlcas.Retry(t.Context(), nil),
		"RetryTx: the closure is nil":       sqlcas.RetryTx(t.Context(), db, nil),
		"RetryTx: the *sql.DB is nil":       sqlcas.RetryTx(t.Context(), nil, fn),
		"RetryTxResult: the closure is nil": resultErr,
		"*sql.DB is nil":                    resultNilDB,
	} {
		require.ErrorIs(t, err, sqlcas.ErrInvalidArgument)
		require.ErrorContains(t, err, want)
	}
	require.Zero(t, script.Dialed(), "connections")
}

// Ensures that of two options that set the same thing the later one wins.
func TestTheLaterOptionWins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		err := sqlcas.Retry(t.Context(), answers(&calls, lost), sqlcas.WithMaxAttempts(9), sqlcas.WithMaxAttempts(2))
		require.ErrorIs(t, err, sqlcas.ErrExhausted)
		require.Equal(t, 2, calls, "attempts")
	})
}

// Ensures that a classifier stands before the table of servers' errors, for better and worse, and
// leaves to the table what it has no word for.
func TestClassifierComesBeforeTheTable(t *testing.T) {
	t.Parallel()
	busy, fatal := errors.New("busy"), errors.New("fatal")
	opt := sqlcas.WithClassifier(func(err error) sqlcas.Class {
		switch {
		case errors.Is(err, busy):
			return sqlcas.ClassTransient
		case errors.Is(err, fatal):
			return sqlcas.ClassConflict
		case errors.Is(err, server(1213)):
			return sqlcas.ClassPermanent
		}
		return sqlcas.ClassDefault
	})
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		var r sqlcas.Report
		require.NoError(t, sqlcas.Retry(t.Context(), answers(&calls, answer{err: busy}, answer{err: fatal}, answer{err: server(1205)}, won),
			opt, sqlcas.WithReport(&r)))
		require.Equal(t, 4, calls, "attempts")
		require.Equal(t, 1, r.Conflicts, "conflicts: ClassConflict is one, ClassTransient is none")
		calls = 0
		require.Equal(t, error(server(1213)), sqlcas.Retry(t.Context(), answers(&calls, answer{err: server(1213)}, won), opt))
		require.Equal(t, 1, calls, "attempts at what the classifier calls permanent")
	})
}
