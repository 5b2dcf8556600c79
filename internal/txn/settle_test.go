package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// loseCommits makes every COMMIT's answer get lost.
func (f *fakeServer) loseCommits() *fakeServer {
	f.handle = func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == "COMMIT" {
			c.Break()
			return scriptdb.Reply{}, mysql.ErrInvalidConn
		}
		return scriptdb.Reply{Affected: 1}, nil
	}
	return f
}

// running is a closure that executes statements; a nil argument list stands for none.
func running(t *testing.T, statements ...[]any) Closure {
	return func(_ context.Context, tx *sql.Tx) error {
		for _, st := range statements {
			_, err := tx.Exec(st[0].(string), st[1:]...)
			require.NoError(t, err)
		}
		return nil
	}
}

var swapIt = []any{swapUpdate, int64(70), int64(42), int64(7)}

// Ensures that after a lost COMMIT the old session is killed first, and that a row which still has
// the old version then proves that nothing was applied (case 44).
func TestALostCommitIsNotAppliedIfTheRowIsStillThere(t *testing.T) {
	t.Parallel()
	f := newServer().loseCommits()
	script := f.script()
	db := pool(t, script)
	res := Run(t.Context(), db, defaults(), running(t, swapIt))
	require.Equal(t, Result{Outcome: NotApplied, Err: mysql.ErrInvalidConn, Abort: mysql.ErrInvalidConn, Class: mysqlerr.Lost}, res)
	require.Equal(t, 1, f.asked["KILL 101"])
	require.Len(t, f.looked, 1)
	require.Equal(t, "SELECT 1 FROM `bank`.`account` WHERE `id` = ? AND `version` = ? FOR UPDATE", f.looked[0].Query)
	require.Equal(t, []any{int64(42), int64(7)}, []any{f.looked[0].Arg(0), f.looked[0].Arg(1)})
	log := script.Log()
	require.Equal(t, "KILL 101", log[len(log)-6], "the KILL comes before the look-up: %q", log)
	require.Equal(t, 2, script.Closed(), "the lost connection, and the one whose lock wait timeout was set")
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a lost COMMIT stays unknown wherever the row, or what is known of it, cannot prove
// that nothing was applied. A newer version proves nothing (case 44).
func TestALostCommitStaysUnknown(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare    func(*fakeServer)
		statements [][]any
	}{
		"the row has moved":               {func(f *fakeServer) { f.row = false }, [][]any{swapIt}},
		"no unique index":                 {func(f *fakeServer) { f.index = nil }, [][]any{swapIt}},
		"a unique index that may be NULL": {func(f *fakeServer) { f.index = [][]driver.Value{{"id", "id", int64(1)}} }, [][]any{swapIt}},
		"a key of two, one of them given": {func(f *fakeServer) {
			f.index = [][]driver.Value{{"PRIMARY", "id", int64(0)}, {"PRIMARY", "shard", int64(0)}}
		}, [][]any{swapIt}},
		"the version is in the key": {func(f *fakeServer) {
			f.index = [][]driver.Value{{"PRIMARY", "id", int64(0)}, {"PRIMARY", "version", int64(0)}}
		}, [][]any{swapIt}},
		"an index over an expression":       {func(f *fakeServer) { f.index = [][]driver.Value{{"i", "", int64(0)}} }, [][]any{swapIt}},
		"a text key compared with a number": {func(f *fakeServer) { f.columns[0] = []driver.Value{"id", "varchar"} }, [][]any{swapIt}},
		"a float key":                       {func(f *fakeServer) { f.columns[0] = []driver.Value{"id", "double"} }, [][]any{swapIt}},
		"a version near its maximum": {func(f *fakeServer) { f.columns[2] = []driver.Value{"version", "tinyint"} }, [][]any{
			{swapUpdate, int64(70), int64(42), int64(127)},
		}},
		"a version that is no integer":  {func(f *fakeServer) { f.columns[2] = []driver.Value{"version", "decimal"} }, [][]any{swapIt}},
		"the KILL fails":                {func(f *fakeServer) { f.kill = server(1095) }, [][]any{swapIt}},
		"no swap at all":                {func(*fakeServer) {}, [][]any{{"INSERT INTO ledger VALUES (1)"}}},
		"an UPDATE that checks nothing": {func(*fakeServer) {}, [][]any{{"UPDATE account SET version = version + 1 WHERE id = 42"}}},
		"the table is written besides":  {func(*fakeServer) {}, [][]any{swapIt, {"UPDATE account SET version = 7 WHERE id = 42"}}},
		"a CALL may write anything":     {func(*fakeServer) {}, [][]any{swapIt, {"CALL pay()"}}},
		"a row that may be new":         {func(*fakeServer) {}, [][]any{{swapUpdate, int64(70), int64(42), int64(1)}}},
		"the name of the row is assigned": {func(*fakeServer) {}, [][]any{
			{"UPDATE account SET id = 9, version = version + 1 WHERE id = 42 AND version = 7"},
		}},
		"another swap assigns the row's name": {func(f *fakeServer) {
			f.index = [][]driver.Value{{"email", "email", int64(0)}}
		}, [][]any{
			{"UPDATE account SET version = version + 1 WHERE email = 'a' AND version = 7"},
			{"UPDATE account SET email = 'a', version = version + 1 WHERE email = 'b' AND version = 6"},
		}},
		"a version that new rows start with": {func(f *fakeServer) { f.initial = "7" }, [][]any{swapIt}},
		"a key that a foreign key moves":     {func(f *fakeServer) { f.cascades = 1 }, [][]any{swapIt}},
		"the schema was changed":             {func(*fakeServer) {}, [][]any{{"USE tenant"}, swapIt}},
		"a temporary table hides the real":   {func(*fakeServer) {}, [][]any{{"CREATE TEMPORARY TABLE account (id INT)"}, swapIt}},
		"a write behind SET STATEMENT": {func(*fakeServer) {}, [][]any{swapIt, {
			"SET STATEMENT max_statement_time = 1 FOR UPDATE account SET version = 7 WHERE id = 42",
		}}},
		"a part was taken back": {func(*fakeServer) {}, [][]any{{"SAVEPOINT s"}, swapIt, {"ROLLBACK TO SAVEPOINT s"}}},
		"another server answers": {func(f *fakeServer) {
			handle := f.handle
			f.handle = func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
				if st.Query == "COMMIT" {
					f.mu.Lock()
					f.name = "other:3306:2"
					f.mu.Unlock()
				}
				return handle(ctx, c, st)
			}
		}, [][]any{swapIt}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newServer().loseCommits()
			tc.prepare(f)
			db := pool(t, f.script())
			res := Run(t.Context(), db, defaults(), running(t, tc.statements...))
			require.ErrorIs(t, res.Err, mysql.ErrInvalidConn)
			if name == "the KILL fails" || name == "another server answers" {
				require.ErrorContains(t, res.Err, "the old session could not be ended", "why it is unknown")
				rests(t, db) // it is tried once more
			} else {
				require.Equal(t, mysql.ErrInvalidConn, res.Err)
			}
			res.Err = nil
			require.Equal(t, Result{Outcome: Unknown, Class: mysqlerr.Lost}, res)
			require.Zero(t, db.Stats().InUse)
			if name == "another server answers" {
				require.Zero(t, f.asked["KILL 101"], "somebody else's session was killed")
			}
		})
	}
}

// Ensures that other tables' rows do not spoil a swap, that a session which is gone already counts
// as ended, and that a key of text compared with text tells as well.
func TestALostCommitIsDecidedWhereItCanBe(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare    func(*fakeServer)
		statements [][]any
	}{
		"an entry in another table":  {func(*fakeServer) {}, [][]any{swapIt, {"INSERT INTO ledger_entry VALUES (1)"}}},
		"the session is gone, 1094":  {func(f *fakeServer) { f.kill = server(1094) }, [][]any{swapIt}},
		"a swap after another's":     {func(*fakeServer) {}, [][]any{{"UPDATE b SET v = v + 1 WHERE id = 1 AND v = 1"}, swapIt}},
		"a unique name and a number": {func(f *fakeServer) { f.index = [][]driver.Value{{"email", "email", int64(0)}} }, [][]any{{"UPDATE account SET version = version + 1 WHERE email = 'a' AND version = 7"}}},
		"one good index of two": {func(f *fakeServer) {
			f.index = append([][]driver.Value{{"email", "email", int64(0)}}, f.index...)
		}, [][]any{swapIt}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newServer().loseCommits()
			tc.prepare(f)
			res := Run(t.Context(), pool(t, f.script()), defaults(), running(t, tc.statements...))
			require.Equal(t, NotApplied, res.Outcome)
		})
	}
}

// Ensures that a session number is not used against a server that has restarted since: it may be
// somebody else's by now.
func TestARestartIsSeenByTheUptime(t *testing.T) {
	t.Parallel()
	f := newServer()
	f.uptime = 60
	conn, err := pool(t, f.script()).Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	here := &acquaintance{}
	for ago, want := range map[time.Duration]bool{time.Second: false, 58 * time.Second: false, time.Hour: true} {
		a := &attempt{ident: identity{seen: time.Now().Add(-ago)}}
		got, certain, err := restarted(t.Context(), conn, here, a.ident)
		require.NoError(t, err)
		require.Equal(t, want, got, "a session seen %v ago, a server up for 60 s", ago)
		require.Equal(t, !want, certain, "a session seen %v ago, a server up for 60 s", ago)
	}
	// In the seconds around the start the uptime does not tell; an address with a port will.
	for host, doubt := range map[string]bool{"localhost": true, "": true, "10.0.0.7:50123": false} {
		a := &attempt{ident: identity{host: host, seen: time.Now().Add(-60 * time.Second)}}
		_, certain, err := restarted(t.Context(), conn, here, a.ident)
		require.False(t, certain)
		require.Equal(t, doubt, err != nil, "host %q", host)
	}
	require.Equal(t, 1, f.asked["uptime"], "a connection outlives no restart: one question is enough")
	a := &attempt{settings: defaults(), ident: identity{id: 101, server: f.name, seen: time.Now().Add(-time.Hour)}}
	require.NoError(t, endSession(t.Context(), conn, a.ident), "the restart has ended the session")
	require.Zero(t, f.asked["KILL 101"])
}

// Ensures that a session number which has become another client's, after a restart that the uptime
// does not show, is not killed: the client's address tells. One that nobody has any more has ended.
func TestASessionNumberOfSomebodyElseIsNotKilled(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sessions [][]driver.Value
		kills    int
	}{
		"still ours":     {[][]driver.Value{{"10.0.0.7:50123"}}, 1},
		"somebody's now": {[][]driver.Value{{"10.0.0.9:41000"}}, 0},
		"nobody's":       {nil, 0},
	} {
		f := newServer().loseCommits()
		f.host, f.sessions, f.uptime = "10.0.0.7:50123", tc.sessions, 0
		res := Run(t.Context(), pool(t, f.script()), defaults(), running(t, swapIt))
		require.Equal(t, NotApplied, res.Outcome, "%s: the session has ended in each case, and the row tells", name)
		require.Equal(t, tc.kills, f.asked["KILL 101"], name)
	}
}

// Ensures that a swap of a table in a schema of its own is looked up there.
func TestTheSchemaOfASwapIsKept(t *testing.T) {
	t.Parallel()
	f := newServer().loseCommits()
	res := Run(t.Context(), pool(t, f.script()), defaults(),
		running(t, []any{"UPDATE shop.account SET version = version + 1 WHERE id = ? AND version = ?", int64(42), int64(7)}))
	require.Equal(t, NotApplied, res.Outcome)
	require.Equal(t, "SELECT 1 FROM `shop`.`account` WHERE `id` = ? AND `version` = ? FOR UPDATE", f.looked[0].Query)
}

// Ensures that a connection whose context ended in mid-statement leaves no session behind that
// waits for a lock and then takes it (case 48).
func TestTheSessionOfAnEndedContextIsKilled(t *testing.T) {
	t.Parallel()
	f := newServer()
	f.handle = func(ctx context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
		if st.Query == swapUpdate {
			<-ctx.Done()
			c.Break()
			return scriptdb.Reply{}, ctx.Err()
		}
		return scriptdb.Reply{}, nil
	}
	script := f.script()
	db := pool(t, script)
	db.SetMaxOpenConns(1) // the KILL needs the place that the lost connection gives up
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	res := Run(ctx, db, defaults(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, swapUpdate, int64(70), int64(42), int64(7))
		return err
	})
	require.Equal(t, NotApplied, res.Outcome)
	require.Equal(t, mysqlerr.Context, res.Class)
	require.Equal(t, 1, f.asked["KILL 101"])
	require.Zero(t, script.Count("COMMIT"))
	require.Zero(t, db.Stats().InUse)
}

// Ensures that a database that gives no identity, being neither MySQL nor MariaDB, is not asked to
// kill anything.
func TestAnotherDatabaseIsNotAskedToKill(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]error{"unknown function": server(1305), "an error of its own": errors.New("no such function")} {
		script := scriptdb.New(func(_ context.Context, c *scriptdb.Conn, st scriptdb.Statement) (scriptdb.Reply, error) {
			switch st.Query {
			case identityQuery:
				return scriptdb.Reply{}, reply
			case "COMMIT":
				c.Break()
				return scriptdb.Reply{}, mysql.ErrInvalidConn
			}
			return scriptdb.Reply{Affected: 1}, nil
		})
		res := Run(t.Context(), pool(t, script), defaults(), running(t, swapIt))
		require.Equal(t, Unknown, res.Outcome, name)
		require.Zero(t, script.Count("KILL"), name)
	}
}
