// Package mysqlerr is the one table of what a server's error means for the transaction it met.
//
// Everything that decides whether to rerun, to refuse a COMMIT or to give up asks Classify;
// nothing else in the module looks at an error number. Numbers decide, never texts or SQLSTATEs:
// MariaDB's 1020, for one, carries the catch-all state HY000.
package mysqlerr

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Class is what an error means for the transaction it was met in.
type Class uint8

const (
	// Other is not a server's error: the caller's own, or a driver's complaint about arguments.
	Other Class = iota
	// Statement is a server error that ends one statement only; the transaction goes on.
	Statement
	// Conflict says that a row changed after it was read (MariaDB's 1020). All is rolled back.
	Conflict
	// Deadlock says that the server chose this transaction as the victim, or that a cluster
	// refused its certification. All is rolled back; a rerun may succeed.
	Deadlock
	// LockTimeout says that a wait for a lock ran out. Only the statement is rolled back, so that
	// a COMMIT would make half a transaction durable; a rerun may succeed.
	LockTimeout
	// LockNoWait says that a NOWAIT read met a locked row. The transaction goes on.
	LockNoWait
	// Interrupted says that a KILL QUERY or a time limit ended the statement. Only the statement
	// is rolled back; somebody wanted it to end, so that it is not rerun.
	Interrupted
	// Lost says that the connection is gone, and with it the transaction.
	Lost
	// ReadOnly says that the server takes no writes: it has been demoted, or was never the primary.
	// Nothing was written.
	ReadOnly
	// Context is an ended context. The driver drops the connection if a statement was under way.
	Context
)

// Aborts reports whether a transaction that met this class must not be committed.
func (c Class) Aborts() bool {
	switch c {
	case Conflict, Deadlock, LockTimeout, Interrupted, Lost, Context:
		return true
	}
	return false
}

// Rerun reports whether the same work in a new transaction may succeed. The caller must know that
// this transaction was not committed.
func (c Class) Rerun() bool {
	switch c {
	case Conflict, Deadlock, LockTimeout, Lost:
		return true
	}
	return false
}

// Refusal reports whether a COMMIT that ended with this class was definitely not carried out. Any
// other error leaves it open: proxies pass on as a server's answer what is the loss of one.
func (c Class) Refusal() bool {
	switch c {
	case Conflict, Deadlock, LockTimeout, ReadOnly:
		return true
	}
	return false
}

// Server error numbers, named as the servers' manuals name them.
const (
	erCheckRead        = 1020 // MariaDB: record has changed since last read
	erServerShutdown   = 1053
	erLockWaitTimeout  = 1205 // MariaDB uses it for NOWAIT as well
	erLockTableFull    = 1206 // no room for more locks; InnoDB rolls all back
	erLockDeadlock     = 1213 // also Galera's certification failure
	erOptionPrevents   = 1290 // --read-only
	erQueryInterrupted = 1317
	erReadOnlyTx       = 1792
	erReadOnlyMode     = 1836
	erConnectionKilled = 1927 // MariaDB
	erStatementTimeout = 1969 // MariaDB: max_statement_time
	crServerGone       = 2006 // of clients; proxies send them on
	crServerLost       = 2013
	crServerLostExt    = 2055
	erQueryTimeout     = 3024 // MySQL: max_execution_time
	erRunHookError     = 3100 // MySQL group replication, before the commit
	erTransactionRolls = 3101 // MySQL group replication, certification
	erSessionWasKilled = 3169 // MySQL
	erLockNowait       = 3572 // MySQL: NOWAIT met a locked row
	erClientTimeout    = 4031 // MySQL: disconnected for inactivity
)

// numbers maps each number that is more than a failed statement.
var numbers = map[uint16]Class{
	erCheckRead:        Conflict,
	erLockDeadlock:     Deadlock,
	erLockTableFull:    Deadlock,
	erRunHookError:     Deadlock,
	erTransactionRolls: Deadlock,
	erLockWaitTimeout:  LockTimeout,
	erLockNowait:       LockNoWait,
	erQueryInterrupted: Interrupted,
	erStatementTimeout: Interrupted,
	erQueryTimeout:     Interrupted,
	erServerShutdown:   Lost,
	erConnectionKilled: Lost,
	erSessionWasKilled: Lost,
	erClientTimeout:    Lost,
	crServerGone:       Lost,
	crServerLost:       Lost,
	crServerLostExt:    Lost,
	erOptionPrevents:   ReadOnly,
	erReadOnlyTx:       ReadOnly,
	erReadOnlyMode:     ReadOnly,
}

// Classify finds the class of err through any wrapping, errors.Join included. A nil err is Other.
func Classify(err error) Class {
	if err == nil {
		return Other
	}
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		if c, ok := numbers[server.Number]; ok {
			return c
		}
		return Statement
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Context
	}
	if lost(err) {
		return Lost
	}
	return Other
}

// lost recognises a broken connection. A failed dial is none: nothing had been sent on it, and a
// wrong address should be reported at once instead of being retried for the whole budget.
func lost(err error) bool {
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) ||
		errors.Is(err, mysql.ErrMalformPkt) || errors.Is(err, mysql.ErrBusyBuffer) ||
		errors.Is(err, mysql.ErrPktSync) || errors.Is(err, mysql.ErrPktSyncMul) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrShortWrite) || errors.Is(err, net.ErrClosed) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op) && op.Op != "dial"
}

// Same reports whether the two errors carry the very same answer of the server: not an equal
// number, which is all that errors.Is compares, but the one value the driver made.
func Same(a, b error) bool {
	var x, y *mysql.MySQLError
	return errors.As(a, &x) && errors.As(b, &y) && x == y
}

// Unsent reports whether a statement failed before anything of it was sent, for certain: it is longer than the server
// takes, or database/sql has not made a value of an argument, which it says in words alone.
func Unsent(err error) bool {
	return errors.Is(err, mysql.ErrPktTooLarge) || err != nil && strings.HasPrefix(err.Error(), "sql: converting argument ")
}

// Duplicate reports whether an INSERT failed because there is a row with its key.
func Duplicate(err error) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server) && server.Number == 1062
}

// DuplicatePrimary reports whether it failed because there is a row with its primary key. The servers name
// the key in the text alone: 'coupon.PRIMARY', and 'PRIMARY' on MariaDB; no other key can be called so.
func DuplicatePrimary(err error) bool {
	var server *mysql.MySQLError
	if !errors.As(err, &server) || server.Number != 1062 {
		return false
	}
	return strings.HasSuffix(server.Message, ".PRIMARY'") || strings.HasSuffix(server.Message, "'PRIMARY'")
}

// UnknownThread reports whether a KILL failed because there is no such session any more.
func UnknownThread(err error) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server) && server.Number == 1094
}
