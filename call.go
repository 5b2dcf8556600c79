package sqlcas

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/settings"
)

// call is the state of one call of a harness. The policy it follows is in its settings, which it
// does not change.
type call struct {
	settings *settings.Settings
	observer Observer

	began     time.Time // when the call was made
	started   time.Time // when its first attempt was
	attempts  int
	conflicts int
	queued    time.Duration
	slept     time.Duration
	joined    bool
	replayed  bool
	batch     int             // of the last attempt
	backOff   backoff.BackOff // made when the first pause is due
	last      error           // what the last attempt that is to be retried met
}

// newCall begins a call with options.
func newCall(opts []Option) (*call, error) {
	c := &call{began: time.Now()}
	var err error
	if c.settings, err = collect(opts); err != nil {
		return nil, err
	}
	c.observer, _ = c.settings.Observer.(Observer)
	return c, nil
}

// ruling is what an attempt comes to.
type ruling struct {
	outcome Outcome
	again   bool
	err     error
}

// run makes attempts until one needs no other.
func (c *call) run(ctx context.Context, try func(context.Context) ruling) error {
	defer c.tell()
	r := c.queueAndTry(ctx, try)
	if c.observer != nil {
		c.observer.CallEnd(ctx, CallEnd{
			Attempts: c.attempts, Conflicts: c.conflicts, Elapsed: time.Since(c.began),
			Outcome: r.outcome, Err: r.err, Replayed: c.replayed,
		})
	}
	return r.err
}

func (c *call) queueAndTry(ctx context.Context, try func(context.Context) ruling) ruling {
	if ctx.Err() != nil {
		return ruling{outcome: OutcomeCanceled, err: c.canceled(ctx, nil)}
	}
	if c.settings.Gate != nil {
		leave, err := c.settings.Gate(ctx)
		c.queued = time.Since(c.began)
		if err != nil {
			err = join("sqlcas: while queueing for the key", err, context.Cause(ctx))
			return ruling{outcome: OutcomeCanceled, err: err}
		}
		defer leave()
	}
	c.started = time.Now()
	for {
		r := c.attempt(ctx, try)
		if !r.again {
			return r
		}
	}
}

// attempt makes one attempt and, if there is to be another, pauses.
func (c *call) attempt(ctx context.Context, try func(context.Context) ruling) ruling {
	c.attempts++
	observed, start := ctx, time.Time{}
	if c.observer != nil {
		start = time.Now()
		if own := c.observer.AttemptStart(ctx, AttemptStart{Attempt: c.attempts}); own != nil {
			observed = own
		}
	}
	r := try(observed)
	end, pause := r, time.Duration(-1)
	if r.again {
		c.last = r.err
		if r.outcome == OutcomeConflict {
			c.conflicts++
		}
		pause, end = c.pause(ctx, r)
	}
	if c.observer != nil {
		c.observer.AttemptEnd(observed, AttemptEnd{
			Attempt: c.attempts, Elapsed: time.Since(start),
			Outcome: r.outcome, Err: r.err, RetryIn: pause, Batch: c.batch,
		})
	}
	if end.again && !c.sleep(ctx, pause) {
		return ruling{outcome: OutcomeCanceled, err: c.canceled(ctx, nil)}
	}
	return end
}

// pause returns how long to wait before the next attempt, or a negative time and the ruling that
// there will be none.
func (c *call) pause(ctx context.Context, r ruling) (time.Duration, ruling) {
	if ctx.Err() != nil {
		return -1, ruling{outcome: OutcomeCanceled, err: c.canceled(ctx, nil)}
	}
	elapsed := time.Since(c.started)
	if c.backOff == nil {
		b, err := c.newBackOff()
		if err != nil {
			return -1, ruling{err: join("", err, r.err)}
		}
		c.backOff = b
	}
	d := c.backOff.NextBackOff()
	if c.settings.NewBackOff == nil {
		d = min(d, c.settings.MaxDelay) // half of 1 ns was rounded up
	}
	if d == backoff.Stop || c.attempts == c.settings.MaxAttempts ||
		c.attempts >= 2 && d > c.settings.MaxElapsed-elapsed { // elapsed + d might overflow
		err := &ExhaustedError{Attempts: c.attempts, Elapsed: elapsed, Last: r.err}
		return -1, ruling{outcome: OutcomeExhausted, err: err}
	}
	d = max(d, 0)
	// A pause that cannot end before the deadline is only a later way of missing it.
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return -1, ruling{outcome: OutcomeCanceled, err: c.stopped(context.DeadlineExceeded, nil, nil)}
	}
	return d, r
}

// newBackOff makes the state of the pauses.
func (c *call) newBackOff() (backoff.BackOff, error) {
	newBackOff := c.settings.NewBackOff
	if newBackOff == nil {
		return c.settings.BackOff(), nil
	}
	if b := newBackOff(); b != nil {
		return b, nil
	}
	return nil, invalid("the function given to WithBackOff returned nil")
}

// sleep reports whether the pause went by before ctx ended.
func (c *call) sleep(ctx context.Context, d time.Duration) bool {
	start := time.Now()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	c.slept += time.Since(start)
	return ctx.Err() == nil
}

// canceled is the error of a call that ctx ended: ctx's error, its cause, and what the database
// said last.
func (c *call) canceled(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), err) || err != nil && mysqlerr.Classify(err) == mysqlerr.Other {
		err = nil // the context's own error, or database/sql's word for it
	}
	return c.stopped(ctx.Err(), causeOf(ctx), err)
}

// stopped is also all that the last attempt which was to be retried met.
func (c *call) stopped(ctxErr, cause, err error) error {
	return join("sqlcas: stopped after "+count(c.attempts), ctxErr, cause, err, c.last)
}

func (c *call) unknown(ctx context.Context, err error) error {
	if ctx.Err() == nil && c.last == nil {
		return &OutcomeUnknownError{Cause: err}
	}
	return join("", &OutcomeUnknownError{Cause: err}, ctx.Err(), causeOf(ctx), c.last)
}

// count says how many attempts there were.
func count(attempts int) string {
	if attempts == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", attempts)
}

// causeOf returns the cause that was given to the end of ctx, or nil.
func causeOf(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(ctx.Err(), cause) {
		return cause
	}
	return nil
}

// tell writes the report.
func (c *call) tell() {
	r, ok := c.settings.Report.(*Report)
	if !ok {
		return
	}
	*r = Report{
		Attempts: c.attempts, Conflicts: c.conflicts, Elapsed: time.Since(c.began),
		Queued: c.queued, Slept: c.slept, Joined: c.joined, Batch: c.batch, Replayed: c.replayed,
	}
}

// verdicts are errors that a harness, perhaps one further inside on another database, has already
// decided about. They come before ErrConflict, which some of them wrap.
var verdicts = []error{
	ErrExhausted, ErrOutcomeUnknown, ErrTxAborted, ErrTooManyRows, ErrLocked, ErrNested, ErrInvalidArgument,
	ErrOperationMismatch,
}

// judgeKnown decides about errors that mean the same whatever the database says.
func judgeKnown(err error) (ruling, bool) {
	if err == nil {
		return ruling{outcome: OutcomeSuccess}, true
	}
	if p, ok := err.(*permanentError); ok { // only the outermost mark is taken off
		return ruling{err: p.err}, true
	}
	var p *permanentError
	if errors.As(err, &p) {
		return ruling{err: err}, true
	}
	for _, v := range verdicts {
		if errors.Is(err, v) {
			r := ruling{err: err}
			if v == ErrOutcomeUnknown { // identity is meant
				r.outcome = OutcomeUnknown
			}
			return r, true
		}
	}
	if errors.Is(err, ErrConflict) {
		return ruling{outcome: OutcomeConflict, again: true, err: err}, true
	}
	return ruling{}, false
}

// judgeClass decides by what the server's error means.
func judgeClass(class mysqlerr.Class, err error) ruling {
	switch class {
	case mysqlerr.Conflict:
		return ruling{outcome: OutcomeConflict, again: true, err: join("", ErrConflict, err)}
	case mysqlerr.LockTimeout:
		return ruling{outcome: OutcomeTransient, again: true, err: join("", ErrLocked, err)}
	case mysqlerr.Deadlock, mysqlerr.Lost:
		return ruling{outcome: OutcomeTransient, again: true, err: err}
	case mysqlerr.LockNoWait:
		return ruling{err: join("", ErrLocked, err)}
	}
	return ruling{err: err}
}
