package sqlcas

import (
	"context"
	"time"
)

// Observer is told what calls do. Its methods run on the caller's goroutine, in the way of the
// call, and must be quick and safe for concurrent use. The structs may grow fields.
type Observer interface {
	// AttemptStart is told before each attempt. The context that it returns is the one the closure
	// gets, so that a tracer can put a span into it; it must be derived from ctx.
	AttemptStart(ctx context.Context, a AttemptStart) context.Context
	// AttemptEnd is told after each attempt, with the context that AttemptStart returned. It is not
	// told of one that panicked.
	AttemptEnd(ctx context.Context, a AttemptEnd)
	// CallEnd is told once, last, with the caller's context. It is not told of a call that panicked,
	// was refused before its first attempt, or joined the transaction of another.
	CallEnd(ctx context.Context, c CallEnd)
}

// AttemptStart describes an attempt that is about to start.
type AttemptStart struct {
	Attempt int // 1 for the first
}

// AttemptEnd describes an attempt that has ended.
type AttemptEnd struct {
	Attempt int
	Elapsed time.Duration // of this attempt, COMMIT included
	Outcome Outcome
	Err     error         // nil on success
	RetryIn time.Duration // pause before the next attempt; negative if there will be none
	Batch   int           // calls of a Store whose changes were written together, this one included; 0 if it was alone
}

// CallEnd describes a call that has ended.
type CallEnd struct {
	Attempts  int
	Conflicts int // attempts lost to another writer; absorbed if Outcome is OutcomeSuccess
	Elapsed   time.Duration
	Outcome   Outcome
	Err       error // what the call returns
	Replayed  bool  // the operation had been applied by an earlier call, and this one has changed nothing
}

// Outcome says how an attempt or a call ended, in few words, for labels of metrics.
type Outcome uint8

const (
	// OutcomeFailed: an error that is not retried, the caller's own or the server's.
	OutcomeFailed Outcome = iota
	// OutcomeSuccess: applied, once.
	OutcomeSuccess
	// OutcomeConflict: another writer was faster (attempts only).
	OutcomeConflict
	// OutcomeTransient: a deadlock, a lock timeout or a lost connection (attempts only).
	OutcomeTransient
	// OutcomeExhausted: the budget ran out (calls only).
	OutcomeExhausted
	// OutcomeCanceled: the caller's context ended.
	OutcomeCanceled
	// OutcomeUnknown: nobody knows whether the change was applied.
	OutcomeUnknown
)

var outcomeNames = [...]string{"failed", "success", "conflict", "transient", "exhausted", "canceled", "unknown"}

// String returns the outcome in lower case.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "invalid"
}
