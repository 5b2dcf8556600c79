package benchdb

import (
	"errors"

	"github.com/go-sql-driver/mysql"
)

// Server error numbers of those who did not get a row's lock.
const (
	erLockWaitTimeout = 1205
	erLockDeadlock    = 1213
)

// LockFailed reports whether a statement has not got a row's lock: it waited too long, or was picked to end a
// deadlock, which MariaDB 10.5 and older also see in a long line for one row. It has changed nothing. Roll the
// transaction back, and do it again: after the former the server has not.
func LockFailed(err error) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server) && (server.Number == erLockWaitTimeout || server.Number == erLockDeadlock)
}
