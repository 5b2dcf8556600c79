package txn

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// errNoSession says that the session to be ended has ended already.
var errNoSession = errors.New("there is no such session any more")

// endSession makes sure that a session does nothing more.
func endSession(ctx context.Context, conn *sql.Conn, ident identity) error {
	err := kill(ctx, conn, ident, "KILL")
	if errors.Is(err, errNoSession) {
		return nil
	}
	return err
}

// endStatement ends what a session is doing; the session stays.
func endStatement(ctx context.Context, conn *sql.Conn, ident identity) error {
	return kill(ctx, conn, ident, "KILL QUERY")
}

// kill sends a KILL. A session number means something only to the server process that gave it:
// behind one address there may be another server by now, or the same one restarted, where the number
// may be somebody else's.
func kill(ctx context.Context, conn *sql.Conn, ident identity, verb string) error {
	var here *acquaintance
	err := conn.Raw(func(dc any) (err error) {
		here, err = meet(ctx, dc.(driver.Conn))
		return err
	})
	if err != nil {
		return err
	}
	if here.ident.server != ident.server {
		return fmt.Errorf("session %d was on server %s, and %s answers now", ident.id, ident.server, here.ident.server)
	}
	switch old, certain, err := restarted(ctx, conn, here, ident); {
	case err != nil:
		return err
	case old:
		return errNoSession
	case !certain:
		if ours, err := sessionThere(ctx, conn, ident); err != nil || !ours {
			return cmp.Or(err, errNoSession)
		}
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("%s %d", verb, ident.id))
	if mysqlerr.UnknownThread(err) {
		return errNoSession
	}
	return err
}

// awaitEnd waits until the server has let go of a session that was killed: a KILL only marks it.
func awaitEnd(ctx context.Context, conn *sql.Conn, ident identity) error {
	for {
		there, err := sessionThere(ctx, conn, ident)
		if err != nil || !there {
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the session did not end: %w", ctx.Err())
		}
	}
}

// restarted reports whether the server has started after the session was met, and whether that is
// certain. The uptime counts whole seconds, so that it hides a restart soon after the session was met;
// by then the number may be another client's.
func restarted(ctx context.Context, conn *sql.Conn, here *acquaintance, ident identity) (old, certain bool, err error) {
	started, err := here.serverStart(ctx, conn)
	if err != nil {
		return false, false, err
	}
	old, certain = ident.seen.Before(started.Add(-time.Second)), !ident.seen.Before(started.Add(time.Second))
	if !old && !certain && !strings.Contains(ident.host, ":") {
		err = errors.New("the server started when the session did, or after it, and a session " +
			"over a socket has no port to be known by")
	}
	return old, certain, err
}

const uptimeQuery = "SHOW GLOBAL STATUS LIKE 'Uptime'"

// serverStart returns when the server of a connection has started, give or take a second. It asks once
// for each connection, which outlives no restart: when many sessions are to be ended at the same moment,
// each question would be one more round trip that the last of them waits for.
func (here *acquaintance) serverStart(ctx context.Context, conn *sql.Conn) (time.Time, error) {
	if known := here.started.Load(); known != nil {
		return *known, nil
	}
	var name string
	var seconds int64
	row := conn.QueryRowContext(ctx, uptimeQuery)
	if err := row.Scan(&name, &seconds); err != nil {
		return time.Time{}, err
	}
	started := time.Now().Add(-time.Duration(seconds) * time.Second)
	here.started.Store(&started)
	return started, nil
}
