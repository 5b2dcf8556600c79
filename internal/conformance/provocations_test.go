package conformance

import (
	"database/sql"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// provocation makes the server answer the next statement that touches the group's last part with
// one certain error.
type provocation struct {
	number uint16
	// param is a session variable of the program's, with its value; empty for none.
	param [2]string
	// never says why the server cannot produce the error in a place; "" if it can. nil: it can.
	never func(e *env, at place) string
	// prepare sets the rival up. What it returns ends the rival, once the transaction is over.
	prepare func(t *testing.T, s *swallowing, tx *sql.Tx) (end func())
}

var provocations = []provocation{
	{number: 1205, param: [2]string{"innodb_lock_wait_timeout", "1"}, prepare: provokeTimeout},
	{number: 1213, prepare: provokeDeadlock},
	{number: 1020, never: onlyWithSnapshots, prepare: provokeStale},
	{number: 1317, prepare: provokeKill},
	{number: 1969, param: [2]string{"max_statement_time", "2"}, never: onlyMariaDB, prepare: provokeTimeout},
	{number: 3024, param: [2]string{"max_execution_time", "2000"}, never: onlyMySQLReads, prepare: provokeTimeout},
}

func onlyWithSnapshots(e *env, _ place) string {
	if !e.snapshot {
		return "n/a: no snapshot isolation"
	}
	return ""
}

func onlyMariaDB(e *env, _ place) string {
	if !e.server.MariaDB() {
		return "n/a: MariaDB's"
	}
	return ""
}

func onlyMySQLReads(e *env, at place) string {
	switch {
	case e.server.MariaDB():
		return "n/a: MySQL's"
	case at == inExec, at == inStmt:
		return "n/a: bounds SELECT only"
	}
	return ""
}

const updatePart = "UPDATE part SET n = n + 100 WHERE id = ?"

// provokeTimeout: a rival holds the row for longer than the program's session may wait.
func provokeTimeout(t *testing.T, s *swallowing, _ *sql.Tx) func() {
	h := s.e.holdBy(t, updatePart, s.last())
	return func() { h.rollback(t) }
}

// provokeDeadlock: a rival holds the row and waits for one that the transaction has changed.
func provokeDeadlock(t *testing.T, s *swallowing, _ *sql.Tx) func() {
	return s.e.deadlockOn(t, updatePart, s.id(1), s.last())
}

// provokeStale: a rival changes the row after the transaction has taken its snapshot.
func provokeStale(t *testing.T, s *swallowing, _ *sql.Tx) func() {
	_, err := s.e.other.ExecContext(t.Context(), updatePart, s.last())
	require.NoError(t, err)
	return func() {}
}

// provokeKill: a rival holds the row, and an operator ends the statement that waits for it.
func provokeKill(t *testing.T, s *swallowing, tx *sql.Tx) func() {
	session, err := sessionOf(t.Context(), tx)
	require.NoError(t, err)
	h := s.e.holdBy(t, updatePart, s.last())
	killed := make(chan error, 1)
	go func() {
		if err := s.e.awaitLockWait(session); err != nil {
			killed <- err
			return
		}
		_, err := s.e.other.Exec(fmt.Sprintf("KILL QUERY %d", session))
		killed <- err
	}()
	return func() {
		require.NoError(t, <-killed)
		h.rollback(t)
	}
}

// outcomeTable tells which combinations of an error and a place were produced on which server.
type outcomeTable struct {
	mu   sync.Mutex
	rows map[string]map[place]string // by server and number
}

var outcomes = &outcomeTable{rows: map[string]map[place]string{}}

func (o *outcomeTable) set(s *mysqltest.Server, number uint16, at place, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	row := fmt.Sprintf("%d\t%s", number, s.Name)
	if o.rows[row] == nil {
		o.rows[row] = map[place]string{}
	}
	o.rows[row][at] = text
}

// print writes one row per error and server, one column per place.
func (o *outcomeTable) print(w io.Writer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.rows) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(o.rows))
	fmt.Fprintln(w, "\nconformance: errors that a closure swallowed, by where it met them")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "error\tserver")
	for _, at := range places {
		fmt.Fprintf(table, "\t%s", at)
	}
	for _, name := range names {
		fmt.Fprintf(table, "\n%s", name)
		for _, at := range places {
			text := o.rows[name][at]
			if text == "" {
				text = "not run"
			}
			fmt.Fprintf(table, "\t%s", text)
		}
	}
	fmt.Fprintln(table)
	_ = table.Flush()
}
