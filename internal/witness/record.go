package witness

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Verdict says whether err, which the server or the driver gave to query, forbids a COMMIT.
// It is called with the record locked and must not call back.
type Verdict func(query string, err error) (aborts bool)

// Write is a statement that may have changed something, or an UPDATE that found no row to change.
type Write struct {
	Query    string
	Args     []driver.Value // of a statement that affected at most one row; else nil
	Affected int64          // negative where nobody counted
}

// maxWrites bounds what a transaction's record holds on to.
const maxWrites = 64

// record is the Hook of a Session: it remembers what decides about the COMMIT.
type record struct {
	verdict Verdict
	valid   func() bool  // whether the connection still works
	open    atomic.Int64 // result sets that are being read

	mu      sync.Mutex
	abort   error // the first error that forbids a COMMIT
	over    error // the first error of the server's that does: nothing more is sent after it
	changes int   // statements sent that may have changed something
	writes  []Write
	moved   bool  // the default schema may be another
	partial bool  // writes is not the whole story
	owed    error // what the closure was told and has to pass on, if it is to be committed
	owedAt  int   // the place of the next write when it was
}

var _ Hook = (*record)(nil)

// Exec sends the statement unless it would end the transaction, and notes how it went.
func (r *record) Exec(ctx context.Context, st Statement, send SendExec) (driver.Result, error) {
	if err := r.refuse(st.Query); err != nil {
		return nil, err
	}
	res, err := send(ctx)
	if err != nil {
		return nil, r.Failed(st.Query, err)
	}
	affected, counted := res.RowsAffected()
	if counted != nil {
		affected = -1
	}
	r.changed(st, affected)
	return res, nil
}

// Query is Exec for statements that return rows.
func (r *record) Query(ctx context.Context, st Statement, send SendQuery) (driver.Rows, error) {
	if err := r.refuse(st.Query); err != nil {
		return nil, err
	}
	rows, err := send(ctx)
	if err != nil {
		return nil, r.Failed(st.Query, err)
	}
	r.open.Add(1)
	r.changed(st, -1) // INSERT ... RETURNING and its like
	return rows, nil
}

// RowsDone is told of every result set that has been read or closed.
func (r *record) RowsDone() { r.open.Add(-1) }

// Failed notes an error, and keeps the first that forbids a COMMIT. An error that left the
// connection unusable always does.
func (r *record) Failed(query string, err error) error {
	if errors.Is(err, driver.ErrSkip) {
		return err // the driver wants to be asked in another way
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// The verdict hears of every error as the driver gave it, also of those after the first that
	// aborts.
	aborts := r.verdict(query, err) || !r.valid()
	if r.open.Load() > 0 && errors.Is(err, driver.ErrBadConn) {
		err = &RowsOpenError{Query: query, Cause: err}
	}
	if !aborts {
		return err
	}
	if r.abort == nil {
		r.abort = err
	}
	if r.over == nil {
		r.over = err
	}
	return err
}

// forbid makes the COMMIT impossible for a reason of the runner's own.
func (r *record) forbid(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abort == nil {
		r.abort = err
	}
}

// refuse returns why a statement must not be sent. After a deadlock (1213) or MariaDB's 1020 the
// server has left the transaction altogether: what follows would run in autocommit mode and be
// durable at once, beyond the reach of any ROLLBACK.
func (r *record) refuse(query string) error {
	r.mu.Lock()
	over := r.over
	r.mu.Unlock()
	if over != nil {
		return &AfterAbortError{Query: query, Cause: over}
	}
	var err error
	switch {
	case several(query):
		err = &SeveralStatementsError{Query: query}
	case endsTransaction(query):
		err = &EndedByStatementError{Query: query}
	default:
		return nil
	}
	r.forbid(err)
	return err
}

// changed notes a statement that went well. One that changed no row is none, but for a CALL, whose
// count is that of the last statement inside, and for an UPDATE, which may be a swap that has lost.
func (r *record) changed(st Statement, affected int64) {
	word := Keyword(st.Query)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved = r.moved || word == "USE"
	if obscures(st.Query) {
		r.partial = true
	}
	if word == "ROLLBACK" { // TO SAVEPOINT: the closure knows of what has lost
		r.forgive(0)
	}
	if !writes(st.Query) || affected == 0 && word != "CALL" && word != "UPDATE" {
		return
	}
	if affected != 0 || word == "CALL" {
		r.changes++
	}
	if len(r.writes) == maxWrites {
		r.partial = r.partial || affected != 0
		return
	}
	w := Write{Query: st.Query, Affected: affected}
	if affected == 0 || affected == 1 {
		w.Args = copyArgs(st.Args)
	}
	r.writes = append(r.writes, w)
}

// owe notes an error that the closure was told.
func (r *record) owe(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owed == nil {
		r.owed, r.owedAt = err, len(r.writes)
	}
}

// forgive forgets the UPDATEs from the i-th write on that affected no row, and what is owed since.
func (r *record) forgive(i int) {
	if r.owedAt >= i {
		r.owed = nil
	}
	kept := slices.DeleteFunc(r.writes[i:], func(w Write) bool { return w.Affected == 0 })
	r.writes = r.writes[:i+len(kept)]
}

// copyArgs copies what the caller may use again.
func copyArgs(args []driver.NamedValue) []driver.Value {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		values[i] = a.Value
		if b, ok := a.Value.([]byte); ok {
			values[i] = slices.Clone(b)
		}
	}
	return values
}

func (r *record) aborted() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.abort
}
