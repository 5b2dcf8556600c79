package sqlcas_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas"
)

// losing is an attempt that always loses to another writer.
func losing(context.Context) (int64, error) { return 0, nil }

func ExampleWithMaxAttempts() {
	err := sqlcas.Retry(context.Background(), losing, sqlcas.WithMaxAttempts(3))
	fmt.Println(errors.Is(err, sqlcas.ErrExhausted), errors.Is(err, sqlcas.ErrConflict))

	// Output:
	// true true
}

func ExampleWithMaxElapsed() {
	err := sqlcas.Retry(context.Background(), losing, sqlcas.WithMaxElapsed(20*time.Millisecond))
	fmt.Println(errors.Is(err, sqlcas.ErrExhausted))

	// Output:
	// true
}

// A policy is a slice of options, which any number of calls may share.
func ExampleWithDelays() {
	interactive := []sqlcas.Option{
		sqlcas.WithDelays(time.Millisecond, 10*time.Millisecond),
		sqlcas.WithMaxAttempts(5),
	}
	var exhausted *sqlcas.ExhaustedError
	if err := sqlcas.Retry(context.Background(), losing, interactive...); errors.As(err, &exhausted) {
		fmt.Println("gave up after", exhausted.Attempts, "attempts")
	}

	// Output:
	// gave up after 5 attempts
}

func ExampleWithBackOff() {
	constant := func() backoff.BackOff {
		return backoff.WithMaxRetries(backoff.NewConstantBackOff(time.Millisecond), 2)
	}
	var exhausted *sqlcas.ExhaustedError
	if err := sqlcas.Retry(context.Background(), losing, sqlcas.WithBackOff(constant)); errors.As(err, &exhausted) {
		fmt.Println("gave up after", exhausted.Attempts, "attempts")
	}

	// Output:
	// gave up after 3 attempts
}

func ExampleWithCommitTimeout() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	err := sqlcas.RetryTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		return transfer(ctx, tx, 42, 43, 30)
	}, sqlcas.WithCommitTimeout(2*time.Second))
	fmt.Println(err)

	// Output:
	// <nil>
}

func ExampleWithIsolation() {
	ctx, db := context.Background(), openShop()
	defer db.Close()
	err := sqlcas.RetryTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		return transfer(ctx, tx, 42, 43, 30)
	}, sqlcas.WithIsolation(sql.LevelReadCommitted))
	fmt.Println(err)

	// Output:
	// <nil>
}

func ExampleWithReport() {
	lost := 0
	var report sqlcas.Report
	err := sqlcas.Retry(context.Background(), func(context.Context) (int64, error) {
		if lost < 2 {
			lost++
			return 0, nil
		}
		return 1, nil
	}, sqlcas.WithReport(&report))
	fmt.Println(err, report.Attempts, "attempts,", report.Conflicts, "conflicts absorbed")

	// Output:
	// <nil> 3 attempts, 2 conflicts absorbed
}

// A proxy that answers 9001 while it moves to another server asks for another try.
func ExampleWithClassifier() {
	moving, attempts := &mysql.MySQLError{Number: 9001, Message: "moving"}, 0
	err := sqlcas.Retry(context.Background(), func(context.Context) (int64, error) {
		if attempts++; attempts == 1 {
			return 0, moving
		}
		return 1, nil
	}, sqlcas.WithClassifier(func(err error) sqlcas.Class {
		if errors.Is(err, moving) {
			return sqlcas.ClassTransient
		}
		return sqlcas.ClassDefault
	}))
	fmt.Println(err, attempts)

	// Output:
	// <nil> 2
}

// counter counts conflicts, for a metric.
type counter struct{ conflicts int }

func (c *counter) AttemptStart(ctx context.Context, _ sqlcas.AttemptStart) context.Context {
	return ctx
}
func (c *counter) AttemptEnd(context.Context, sqlcas.AttemptEnd)  {}
func (c *counter) CallEnd(_ context.Context, call sqlcas.CallEnd) { c.conflicts += call.Conflicts }

func ExampleWithObserver() {
	var metric counter
	for range 2 {
		_ = sqlcas.Retry(context.Background(), losing, sqlcas.WithMaxAttempts(3), sqlcas.WithObserver(&metric))
	}
	fmt.Println(metric.conflicts, "conflicts")

	// Output:
	// 6 conflicts
}

func ExampleNewSlogObserver() {
	untimed := func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case "time", "elapsed", "error":
			return slog.Attr{} // differ from run to run
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: untimed}))
	_ = sqlcas.Retry(context.Background(), losing, sqlcas.WithMaxAttempts(2),
		sqlcas.WithObserver(sqlcas.NewSlogObserver(logger)))

	// Output:
	// level=WARN msg="sqlcas: attempts exhausted" attempts=2 conflicts=2
}

func ExampleExhaustedError() {
	err := sqlcas.Retry(context.Background(), losing, sqlcas.WithMaxAttempts(2))

	var exhausted *sqlcas.ExhaustedError
	if errors.As(err, &exhausted) {
		fmt.Println(exhausted.Attempts, exhausted.Last)
	}

	// Output:
	// 2 sqlcas: conflict: the row has been changed since it was read
}

// A lost connection in a plain Retry may mean that the UPDATE has been applied: look, do not repeat.
func ExampleOutcomeUnknownError() {
	err := sqlcas.Retry(context.Background(), func(context.Context) (int64, error) {
		return 0, mysql.ErrInvalidConn
	})

	var unknown *sqlcas.OutcomeUnknownError
	if errors.As(err, &unknown) {
		fmt.Println("unknown because of:", unknown.Cause)
	}

	// Output:
	// unknown because of: invalid connection
}
