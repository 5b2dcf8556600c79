package sqlcas

import (
	"context"
	"log/slog"
)

// NewSlogObserver returns an Observer that logs to l, or to slog.Default() if l is nil: attempts
// that will be retried at Debug, calls that ran out of budget at Warn, unknown outcomes at Error,
// and calls that succeeded at the first attempt or failed for a reason of their own not at all.
func NewSlogObserver(l *slog.Logger) Observer {
	return slogObserver{l}
}

type slogObserver struct{ l *slog.Logger }

func (o slogObserver) logger() *slog.Logger {
	if o.l != nil {
		return o.l
	}
	return slog.Default()
}

func (o slogObserver) AttemptStart(ctx context.Context, _ AttemptStart) context.Context { return ctx }

func (o slogObserver) AttemptEnd(ctx context.Context, a AttemptEnd) {
	if a.RetryIn < 0 {
		return
	}
	o.logger().LogAttrs(ctx, slog.LevelDebug, "sqlcas: attempt will be retried",
		slog.Int("attempt", a.Attempt), slog.String("outcome", a.Outcome.String()),
		slog.Duration("elapsed", a.Elapsed), slog.Duration("retry_in", a.RetryIn), slog.Any("error", a.Err))
}

func (o slogObserver) CallEnd(ctx context.Context, c CallEnd) {
	level, msg := slog.LevelDebug, ""
	switch {
	case c.Outcome == OutcomeUnknown:
		level, msg = slog.LevelError, "sqlcas: outcome unknown"
	case c.Outcome == OutcomeExhausted:
		level, msg = slog.LevelWarn, "sqlcas: attempts exhausted"
	case c.Outcome == OutcomeSuccess && c.Attempts > 1:
		msg = "sqlcas: conflicts absorbed"
	default:
		return
	}
	attrs := []slog.Attr{
		slog.Int("attempts", c.Attempts), slog.Int("conflicts", c.Conflicts), slog.Duration("elapsed", c.Elapsed),
	}
	if c.Err != nil {
		attrs = append(attrs, slog.Any("error", c.Err))
	}
	o.logger().LogAttrs(ctx, level, msg, attrs...)
}
