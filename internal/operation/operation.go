package operation

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sqlcas/sqlcas/gen/sqlcasdb"
	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// chunk is how many ids one statement names at most.
const chunk = 1000

// MaxID is how many bytes an id has at most: the width of its column.
const MaxID = 255

// ErrReplayed says that the operation has been applied before, with the same target and fingerprint. An
// attempt that ends with it, bare, is a success that has changed nothing.
var ErrReplayed = errors.New("operation: applied before")

// Operation is what a caller has given an id.
type Operation struct {
	ID          string // 1 to MaxID bytes
	Fingerprint string // of the request, as Fingerprint makes it; empty where the caller gave none
	Target      string // what it changes, as Target or InTx says
}

// InTx is the target of an operation that is a whole transaction of the caller's.
const InTx = "transaction"

// Fingerprint is what is kept of a request.
func Fingerprint(request []byte) string {
	sum := sha256.Sum256(request)
	return string(sum[:])
}

// Attempt names one try of a transaction among all tries of all processes.
type Attempt [16]byte

var (
	process [8]byte // told from other processes by chance
	counter atomic.Uint64
)

func init() { _, _ = rand.Read(process[:]) } // never fails

// NewAttempt names another try.
func NewAttempt() Attempt {
	a := Attempt{}
	copy(a[:8], process[:])
	binary.BigEndian.PutUint64(a[8:], counter.Add(1))
	return a
}

// Mismatch says that an id stands for another operation than the one it was given with.
type Mismatch struct {
	ID           string
	Target       string // what the operation would change
	StoredTarget string // what the one with this id has changed
	Differs      string // "target", "fingerprint" or "target and fingerprint"
}

// Finding is what is known of an operation.
type Finding struct {
	Applied  bool
	Mismatch *Mismatch // not nil: another operation with its id was applied
}

// Find reads which operations have been applied, in one plain SELECT for each thousand, and returns a Finding
// for each, in their order. In a transaction it is a consistent read: with REPEATABLE READ its snapshot
// begins here at the latest, so lock rows before.
func Find(ctx context.Context, db sqlcasdb.DBTX, ops ...Operation) ([]Finding, error) {
	stored := make(map[string]sqlcasdb.FindOperationsRow, len(ops))
	for some := range slices.Chunk(ops, chunk) {
		ids := make([][]byte, len(some))
		for i, op := range some {
			ids[i] = []byte(op.ID)
		}
		rows, err := sqlcasdb.New(db).FindOperations(ctx, ids)
		if err != nil {
			return nil, explain(err)
		}
		for _, row := range rows {
			stored[string(row.ID)] = row
		}
	}
	found := make([]Finding, len(ops))
	for i, op := range ops {
		if row, ok := stored[op.ID]; ok {
			found[i] = Finding{Applied: true, Mismatch: Compare(op, asOperation(row))}
		}
	}
	return found, nil
}

// Compare returns what differs between an operation and the one that was applied under its id, or nil.
func Compare(op, applied Operation) *Mismatch {
	var differs []string
	if applied.Target != op.Target {
		differs = append(differs, "target")
	}
	if applied.Fingerprint != op.Fingerprint {
		differs = append(differs, "fingerprint")
	}
	if differs == nil {
		return nil
	}
	return &Mismatch{
		ID: op.ID, Target: op.Target, StoredTarget: applied.Target, Differs: strings.Join(differs, " and "),
	}
}

func asOperation(row sqlcasdb.FindOperationsRow) Operation {
	return Operation{ID: string(row.ID), Fingerprint: string(row.Fingerprint), Target: string(row.Target)}
}

// TakenError says that an INSERT met an id that somebody else has entered since it was looked for. The
// transaction must be rolled back; in a new one Find finds the id.
type TakenError struct{ Cause error } // the server's 1062

// Error says what happened, and leaves the id to the cause.
func (e *TakenError) Error() string {
	return "another call has applied an operation with the same id meanwhile: " + e.Cause.Error()
}

// Unwrap returns the server's error.
func (e *TakenError) Unwrap() error { return e.Cause }

// Insert enters operations whose ids differ, in the order of the ids' bytes: transactions that enter several
// in other orders deadlock. A thousand are one statement. A *TakenError, bare, says that one of the ids
// is there.
func Insert(ctx context.Context, db sqlcasdb.DBTX, attempt Attempt, ops ...Operation) error {
	sorted := slices.SortedFunc(slices.Values(ops), func(a, b Operation) int { return strings.Compare(a.ID, b.ID) })
	for some := range slices.Chunk(sorted, chunk) {
		args := make([]any, 0, len(some)*columns)
		for _, op := range some {
			args = append(args, []byte(op.ID), []byte(op.Target),
				hex.EncodeToString([]byte(op.Fingerprint)), hex.EncodeToString(attempt[:]))
		}
		_, err := db.ExecContext(ctx, insertHead+strings.Repeat(insertRow+", ", len(some)-1)+insertRow, args...)
		if mysqlerr.Duplicate(err) {
			return &TakenError{Cause: err}
		}
		if err != nil {
			return explain(err)
		}
	}
	return nil
}

// The INSERT is not sqlc's, which knows no statement with any number of rows. What is no text goes as hexadecimal:
// while a statement with other bytes runs, MySQL's information_schema.PROCESSLIST is error 3854 for all (measured
// on 9.7), and with it any look for a session that is to be ended.
const (
	insertHead = "INSERT INTO sqlcas_operation (id, target, fingerprint, attempt, created_at) VALUES "
	insertRow  = "(?, ?, UNHEX(?), UNHEX(?), UTC_TIMESTAMP(6))"
	columns    = 4 // that have a parameter
)

// Applied waits for whoever is writing the operation's row to end, and reports whether the try has written it.
// If not, nothing of the try will ever be there: its session must have been ended before. It is for one
// connection outside of a transaction.
func Applied(ctx context.Context, db sqlcasdb.DBTX, attempt Attempt, id string) (bool, error) {
	stored, err := sqlcasdb.New(db).LockOperation(ctx, []byte(id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("the row of the operation id could not be read: %w", explain(err))
	}
	return bytes.Equal(stored, attempt[:]), nil
}
