package benchdb

import (
	"errors"

	"github.com/go-sql-driver/mysql"
)

// Server error numbers of those who did not get a row as it is.
const (
	erCheckRead       = 1020
	erLockWaitTimeout = 1205
	erLockDeadlock    = 1213
)

// LockFailed reports whether a statement has not got a row as it is: it waited too long for the lock; or was picked to
// end a deadlock, which MariaDB 10.5 and older also see in a long line for one row; or, in MariaDB with
// innodb_snapshot_isolation, has waited for the lock of a row that was changed meanwhile. It has changed nothing.
// Roll the transaction back, and do it again: after the first of these the server has not.
func LockFailed(err error) bool {
	var server *mysql.MySQLError
	if !errors.As(err, &server) {
		return false
	}
	switch server.Number {
	case erCheckRead, erLockWaitTimeout, erLockDeadlock:
		return true
	}
	return false
}
