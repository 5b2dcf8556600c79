package txn

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// Holder is the session whose lock another waits for.
type Holder struct {
	Session    uint64
	User, Host string
}

// Each server tells in its own way who blocks whom. MySQL asks for the privilege to read
// performance_schema, MariaDB for PROCESS.
const (
	mysqlHolder = "SELECT b.PROCESSLIST_ID, COALESCE(b.PROCESSLIST_USER, ''), COALESCE(p.HOST, b.PROCESSLIST_HOST, '') " +
		mysqlWaits + "LEFT JOIN information_schema.PROCESSLIST p ON p.ID = b.PROCESSLIST_ID " +
		"WHERE r.PROCESSLIST_ID = ? LIMIT 1"
	// mysqlPortless is for when that table cannot be read: see sessionQuery.
	mysqlPortless = "SELECT b.PROCESSLIST_ID, COALESCE(b.PROCESSLIST_USER, ''), COALESCE(b.PROCESSLIST_HOST, '') " +
		mysqlWaits + "WHERE r.PROCESSLIST_ID = ? LIMIT 1"
	mysqlWaits = "FROM performance_schema.data_lock_waits w " +
		"JOIN performance_schema.threads r ON r.THREAD_ID = w.REQUESTING_THREAD_ID " +
		"JOIN performance_schema.threads b ON b.THREAD_ID = w.BLOCKING_THREAD_ID "
	mariadbHolder = "SELECT b.trx_mysql_thread_id, COALESCE(p.USER, ''), COALESCE(p.HOST, '') " +
		"FROM information_schema.INNODB_LOCK_WAITS w " +
		"JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id " +
		"JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id " +
		"LEFT JOIN information_schema.PROCESSLIST p ON p.ID = b.trx_mysql_thread_id " +
		"WHERE r.trx_mysql_thread_id = ? LIMIT 1"
)

// findHolder returns whose lock the session waits for, or nil where the server does not tell: for want
// of a privilege, or because the wait is over.
func findHolder(ctx context.Context, conn *sql.Conn, ident identity) *Holder {
	query := mysqlHolder
	if ident.mariadb {
		query = mariadbHolder
	}
	var h Holder
	err := conn.QueryRowContext(ctx, query, ident.id).Scan(&h.Session, &h.User, &h.Host)
	if mysqlerr.NotText(err) {
		err = conn.QueryRowContext(ctx, mysqlPortless, ident.id).Scan(&h.Session, &h.User, &h.Host)
	}
	if err != nil {
		return nil
	}
	return &h
}
