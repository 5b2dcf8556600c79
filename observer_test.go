package sqlcas_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// teller writes down what it is told, and puts a value into each attempt's context.
type teller struct {
	story []string
	errs  []error
}

type attemptKey struct{}

func (o *teller) AttemptStart(ctx context.Context, a sqlcas.AttemptStart) context.Context {
	o.story = append(o.story, fmt.Sprintf("start %d", a.Attempt))
	return context.WithValue(ctx, attemptKey{}, a.Attempt)
}

func (o *teller) AttemptEnd(ctx context.Context, a sqlcas.AttemptEnd) {
	o.story = append(o.story, fmt.Sprintf("end %d in ctx of %v: %v after %v, again in %v",
		a.Attempt, ctx.Value(attemptKey{}), a.Outcome, a.Elapsed, a.RetryIn))
	o.errs = append(o.errs, a.Err)
}

func (o *teller) CallEnd(ctx context.Context, c sqlcas.CallEnd) {
	o.story = append(o.story, fmt.Sprintf("call in ctx of %v: %v after %d attempts, %d conflicts, %v",
		ctx.Value(attemptKey{}), c.Outcome, c.Attempts, c.Conflicts, c.Elapsed))
	o.errs = append(o.errs, c.Err)
}

// Ensures that an observer hears of each attempt and of the call, in order and with what each came
// to, and that the closure gets the context it made.
func TestObserverHearsTheWholeStory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var o teller
		list := []answer{{takes: time.Second}, {err: server(1205)}, {affected: 1, takes: 2 * time.Second}}
		calls := 0
		err := sqlcas.Retry(t.Context(), func(ctx context.Context) (int64, error) {
			require.Equal(t, calls+1, ctx.Value(attemptKey{}))
			return answers(&calls, list...)(ctx)
		}, sqlcas.WithObserver(&o), sqlcas.WithBackOff(everyMillisecond))
		require.NoError(t, err)
		require.Equal(t, []string{
			"start 1",
			"end 1 in ctx of 1: conflict after 1s, again in 1ms",
			"start 2",
			"end 2 in ctx of 2: transient after 0s, again in 1ms",
			"start 3",
			"end 3 in ctx of 3: success after 2s, again in -1ns",
			"call in ctx of <nil>: success after 3 attempts, 1 conflicts, 3.002s",
		}, o.story)
		require.ErrorIs(t, o.errs[0], sqlcas.ErrConflict)
		require.ErrorIs(t, o.errs[1], sqlcas.ErrLocked)
		require.Equal(t, []error{nil, nil}, o.errs[2:])
	})
}

// Ensures that each way for a call to end has its outcome, and that CallEnd carries the very error
// that the caller gets.
func TestObserverHearsHowCallsEnd(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for want, tc := range map[string]struct {
		ctx context.Context
		a   answer
	}{
		"call in ctx of <nil>: failed after 1 attempts, 0 conflicts":    {context.Background(), answer{err: refused}},
		"call in ctx of <nil>: exhausted after 2 attempts, 2 conflicts": {context.Background(), lost},
		"call in ctx of <nil>: unknown after 1 attempts, 0 conflicts":   {context.Background(), answer{err: context.Canceled}},
		"call in ctx of <nil>: canceled after 0 attempts, 0 conflicts":  {canceled, won},
	} {
		synctest.Test(t, func(t *testing.T) {
			var o teller
			calls := 0
			err := sqlcas.Retry(tc.ctx, answers(&calls, tc.a), sqlcas.WithObserver(&o), sqlcas.WithMaxAttempts(2))
			last := len(o.story) - 1
			require.True(t, strings.HasPrefix(o.story[last], want), "got %q, want it to start with %q", o.story[last], want)
			require.Equal(t, err, o.errs[len(o.errs)-1])
		})
	}
}

// Ensures that an attempt which panics is announced and not said to have ended.
func TestObserverDoesNotHearTheEndOfAPanic(t *testing.T) {
	t.Parallel()
	var o teller
	require.Panics(t, func() {
		_ = sqlcas.Retry(t.Context(), func(context.Context) (int64, error) { panic("boom") }, sqlcas.WithObserver(&o))
	})
	require.Equal(t, []string{"start 1"}, o.story)
}

// Ensures that the names of outcomes, which become labels of metrics, stay as they are.
func TestOutcomeNames(t *testing.T) {
	t.Parallel()
	want := []string{"failed", "success", "conflict", "transient", "exhausted", "canceled", "unknown", "invalid"}
	for i, name := range want {
		require.Equal(t, name, sqlcas.Outcome(i).String())
	}
	require.Equal(t, "unknown", sqlcas.OutcomeUnknown.String())
}

// Ensures that the slog observer logs retries at Debug, exhaustion at Warn and unknown outcomes at
// Error, each with its facts, and keeps silent about what is no news.
func TestSlogObserverLogsWhatIsNews(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		list []answer
		want []string
	}{
		"success at once":   {[]answer{won}, nil},
		"the caller's own":  {[]answer{{err: errors.New("refused")}}, nil},
		"conflict absorbed": {[]answer{lost, won}, []string{"DEBUG sqlcas: attempt will be retried", "attempt=1 outcome=conflict", "DEBUG sqlcas: conflicts absorbed", "attempts=2 conflicts=1"}},
		"exhausted":         {[]answer{lost}, []string{"DEBUG", "retry_in=1ms", "WARN sqlcas: attempts exhausted", "attempts=2 conflicts=2", "gave up after 2 attempts"}},
		"unknown":           {[]answer{{err: context.Canceled}}, []string{"ERROR sqlcas: outcome unknown", "attempts=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
				calls := 0
				_ = sqlcas.Retry(t.Context(), answers(&calls, tc.list...), sqlcas.WithMaxAttempts(2),
					sqlcas.WithBackOff(everyMillisecond), sqlcas.WithObserver(sqlcas.NewSlogObserver(log)))
				got := strings.NewReplacer("level=", "", ` msg="`, " ", `" attempt`, " attempt").Replace(out.String())
				if tc.want == nil {
					require.Empty(t, got)
				}
				for _, want := range tc.want {
					require.Contains(t, got, want)
				}
			})
		})
	}
}

// Ensures that the report of one call tells its attempts, conflicts and times, on success and on
// failure, and is not touched by a call that never started.
func TestReportTellsOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r sqlcas.Report
		calls := 0
		slow := answer{takes: time.Second}
		require.NoError(t, sqlcas.Retry(t.Context(), answers(&calls, slow, answer{err: server(1213)}, won),
			sqlcas.WithReport(&r), sqlcas.WithBackOff(everyMillisecond)))
		want := sqlcas.Report{Attempts: 3, Conflicts: 1, Elapsed: 1002 * time.Millisecond, Slept: 2 * time.Millisecond}
		require.Equal(t, want, r)

		require.Error(t, sqlcas.Retry(t.Context(), answers(&calls, won), sqlcas.WithReport(&r), sqlcas.WithMaxAttempts(0)))
		require.Equal(t, want, r, "a refused call wrote the report")

		calls = 0
		require.Error(t, sqlcas.Retry(t.Context(), answers(&calls, lost), sqlcas.WithReport(&r), sqlcas.WithMaxAttempts(2),
			sqlcas.WithBackOff(everyMillisecond)))
		require.Equal(t, sqlcas.Report{Attempts: 2, Conflicts: 2, Elapsed: time.Millisecond, Slept: time.Millisecond}, r)
	})
}

// Ensures that an observer may put a context of its own into RetryTx's closure as well, and hears
// of one attempt per transaction.
func TestObserverOfATransaction(t *testing.T) {
	t.Parallel()
	var o teller
	err := sqlcas.RetryTx(t.Context(), pool(t, scriptdb.New(nil)), func(ctx context.Context, _ *sql.Tx) error {
		if ctx.Value(attemptKey{}) == 1 {
			return sqlcas.ErrConflict
		}
		return nil
	}, sqlcas.WithObserver(&o), sqlcas.WithBackOff(everyMillisecond))
	require.NoError(t, err)
	require.Len(t, o.story, 5)
	require.Contains(t, o.story[4], "success after 2 attempts, 1 conflicts")
}
