package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
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

// settle cleans up behind an attempt whose connection is not to be used again. The session that
// the server still has is killed, since it may hold row locks, or wait for one, long after its
// client has gone; and if the answer to its COMMIT was lost, the rows that it had moved are looked
// up.
func (a *attempt) settle(ctx context.Context, res Result, swaps []swap) Result {
	if res.Outcome == Committed || !a.ident.known() {
		return res
	}
	bound := killBound
	if res.Outcome == Unknown {
		bound = max(a.settings.CommitTimeout, killBound)
	}
	ctx, cancel := detached(ctx, bound)
	defer cancel()
	conn, err := a.db.Conn(ctx)
	if err != nil {
		return res
	}
	defer func() { _ = conn.Close() }()
	if err := a.endSession(ctx, conn); err != nil {
		return res
	}
	if a.anyStillThere(ctx, conn, swaps) {
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

// endSession makes sure that the attempt's session does nothing more. A session number means
// something only to the server process that gave it: behind one address there may be another
// server by now, or the same one restarted, where the number may be somebody else's.
func (a *attempt) endSession(ctx context.Context, conn *sql.Conn) error {
	var here identity
	err := conn.Raw(func(dc any) (err error) {
		here, err = identify(ctx, dc.(driver.Conn))
		return err
	})
	if err != nil {
		return err
	}
	if here.server != a.ident.server {
		return fmt.Errorf("session %d was on server %s, and %s answers now", a.ident.id, a.ident.server, here.server)
	}
	if restarted, err := a.restarted(ctx, conn); err != nil || restarted {
		return err
	}
	if ours, err := a.stillOurs(ctx, conn); err != nil || !ours {
		return err
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("KILL %d", a.ident.id))
	if mysqlerr.UnknownThread(err) {
		return nil
	}
	return err
}

// stillOurs reports whether the session that has the attempt's number is the attempt's. The uptime
// counts whole seconds, so that it hides a restart soon after the session was met; by then the
// number may be another client's, whose address is another.
func (a *attempt) stillOurs(ctx context.Context, conn *sql.Conn) (bool, error) {
	if !strings.Contains(a.ident.host, ":") {
		return true, nil // nothing to tell it by; restarted has been strict
	}
	var host string
	row := conn.QueryRowContext(ctx,
		fmt.Sprintf("SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = %d", a.ident.id))
	err := row.Scan(&host)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return host == a.ident.host, err
}

// restarted reports whether the server has started after the session was met.
func (a *attempt) restarted(ctx context.Context, conn *sql.Conn) (bool, error) {
	var name string
	var seconds int64
	row := conn.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'")
	if err := row.Scan(&name, &seconds); err != nil {
		return false, err
	}
	age, up := time.Since(a.ident.seen), time.Duration(seconds)*time.Second
	if age > up-time.Second && age <= up+time.Second && !strings.Contains(a.ident.host, ":") {
		return false, errors.New("the server started when the session did, or after it, and a session " +
			"over a socket has no port to be known by")
	}
	return age > up+time.Second, nil
}
