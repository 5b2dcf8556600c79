package txn

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/witness"
)

// killBound is how long an attempt may take to end the session that it leaves behind: at most, where
// that only frees row locks early, and at least, where the fate of a COMMIT hangs on it.
const killBound = time.Second

// lateBound is how long the pool is asked for a connection to end a session from that was left with its locks. Calls
// which wait for those locks may have all connections, for 50 s if innodb_lock_wait_timeout is at its default.
const lateBound = 2 * time.Minute

// settle cleans up behind an attempt whose connection is not to be used again. The session that
// the server still has is killed, since it may hold row locks, or wait for one, long after its
// client has gone; and if the answer to its COMMIT was lost, the rows that it had moved are looked
// up.
func (a *attempt) settle(ctx context.Context, res Result, swaps []swap) Result {
	if res.Outcome == Unknown && a.hooks.Resolve != nil {
		if told := a.resolve(ctx, res); !errors.Is(told.Err, ErrNothingEntered) {
			return told
		}
	}
	if res.Outcome == Committed || !a.ident.known() {
		return res
	}
	if res.Outcome != Unknown {
		ctx, cancel := detached(ctx, killBound)
		defer cancel()
		end := func(ctx context.Context, conn *sql.Conn) error { return endSession(ctx, conn, a.ident) }
		if _, err := ask(ctx, a.db, nil, end); err != nil {
			endLater(a.db, a.ident)
		}
		return res
	}
	ctx, cancel := detached(ctx, max(a.settings.CommitTimeout, killBound))
	defer cancel()
	ended, there := false, false
	err := aside(ctx, a.db, func(conn *sql.Conn) error {
		err := endSession(ctx, conn, a.ident) // each time, since it also makes sure that this is the same server
		if ended = err == nil; ended {
			there, err = a.anyStillThere(ctx, conn, swaps)
		}
		return err
	})
	switch {
	case !ended:
		endLater(a.db, a.ident)
		res.Err = fmt.Errorf("%w; and the old session could not be ended: %w", res.Err, err)
	case there:
		return Result{Outcome: NotApplied, Err: res.Err, Abort: res.Err, Class: mysqlerr.Lost}
	}
	return res
}

// tellingSwaps picks the swaps whose row tells the fate of the whole transaction. A row with the old
// version does so only if nothing else in the transaction can have given it that version again, so
// a swap does not count if its table was written by anything but swaps. Nor does one from version
// 1, which is where a row that somebody deletes and enters again starts.
func tellingSwaps(writes []witness.Write, complete bool) []swap {
	if !complete {
		return nil
	}
	var swaps []swap
	var others [][]token
	for _, w := range writes {
		if w.Affected == 0 {
			continue
		}
		if s, ok := parseSwap(w); ok && w.Affected == 1 {
			swaps = append(swaps, s)
			continue
		}
		switch witness.Keyword(w.Query) {
		case "INSERT", "UPDATE", "DELETE", "REPLACE":
			others = append(others, tokenize(w.Query))
		default: // CALL and whatever else may write anything
			return nil
		}
	}
	all := slices.Clone(swaps)
	return slices.DeleteFunc(swaps, func(s swap) bool {
		return s.isFresh() || slices.ContainsFunc(all, func(o swap) bool { return o.spoils(s) }) ||
			slices.ContainsFunc(others, func(tokens []token) bool { return mentions(tokens, s.table) })
	})
}

// mentions reports whether a statement may be about the table. One that could not be read to its
// end may be about any.
func mentions(tokens []token, table string) bool {
	return slices.ContainsFunc(tokens, func(t token) bool {
		name, ok := t.name()
		return t.kind == broken || ok && strings.EqualFold(name, table)
	})
}
