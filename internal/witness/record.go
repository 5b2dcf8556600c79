package witness

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
)

// Verdict says whether err, which the server or the driver gave to query, forbids a COMMIT.
// It is called with the record locked and must not call back.
type Verdict func(query string, err error) (aborts bool)

// Update is an UPDATE that changed exactly one row.
type Update struct {
	Query string
	Args  []driver.Value
}

// maxUpdates bounds what a transaction's record holds on to. Any one swap that can be looked up
// tells the fate of the whole transaction, so that the first few are plenty.
const maxUpdates = 8

// record is the Hook of a Session: it remembers what decides about the COMMIT.
type record struct {
	verdict Verdict
	valid   func() bool // whether the connection still works

	mu      sync.Mutex
	abort   error // the first error that forbids a COMMIT
	changes int   // statements sent that may have changed something
	updates []Update
}

var _ Hook = (*record)(nil)

// Exec sends the statement unless it would end the transaction, and notes how it went.
func (r *record) Exec(ctx context.Context, st Statement, send func(context.Context) (driver.Result, error)) (driver.Result, error) {
	if err := r.refuse(st.Query); err != nil {
		return nil, err
	}
	res, err := send(ctx)
	if err == nil {
		r.changed(st, res)
	} else if !errors.Is(err, driver.ErrSkip) {
		r.Failed(st.Query, err)
	}
	return res, err
}

// Query is Exec for statements that return rows.
func (r *record) Query(ctx context.Context, st Statement, send func(context.Context) (driver.Rows, error)) (driver.Rows, error) {
	if err := r.refuse(st.Query); err != nil {
		return nil, err
	}
	rows, err := send(ctx)
	switch {
	case err == nil:
		if !reads(st.Query) { // INSERT ... RETURNING and its like
			r.mu.Lock()
			r.changes++
			r.mu.Unlock()
		}
	case !errors.Is(err, driver.ErrSkip):
		r.Failed(st.Query, err)
	}
	return rows, err
}

// Failed notes an error, and keeps the first that forbids a COMMIT. An error that left the
// connection unusable always does.
func (r *record) Failed(query string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// The verdict hears of every error, also of those after the first that aborts.
	if (r.verdict(query, err) || !r.valid()) && r.abort == nil {
		r.abort = err
	}
}

// forbid makes the COMMIT impossible for a reason of the runner's own.
func (r *record) forbid(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abort == nil {
		r.abort = err
	}
}

func (r *record) refuse(query string) error {
	if !endsTransaction(query) {
		return nil
	}
	err := &EndedByStatementError{Query: query}
	r.forbid(err)
	return err
}

func (r *record) changed(st Statement, res driver.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	if len(r.updates) == maxUpdates || !isUpdate(st.Query) {
		return
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return
	}
	args := make([]driver.Value, len(st.Args))
	for i, a := range st.Args {
		if b, ok := a.Value.([]byte); ok {
			args[i] = slices.Clone(b) // the caller may reuse it
			continue
		}
		args[i] = a.Value
	}
	r.updates = append(r.updates, Update{Query: st.Query, Args: args})
}

func (r *record) aborted() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.abort
}

// isUpdate looks for the word itself first: most statements of the hot path are short.
func isUpdate(query string) bool {
	first, _ := keyword(query)
	return first == "UPDATE"
}
