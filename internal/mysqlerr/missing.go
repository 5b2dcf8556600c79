package mysqlerr

import (
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// erNoSuchTable is that of a statement about a table that is not there.
const erNoSuchTable = 1146

// erNotText is MySQL's for text that cannot be shown in another character set.
const erNotText = 3854

// NotText reports whether MySQL could not show something because there are bytes in it that are no text. It
// says so to whoever reads information_schema.PROCESSLIST while any session is at such a statement.
func NotText(err error) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server) && server.Number == erNotText
}

// MissingTable reports whether a statement failed because there is no table of this name. The servers tell
// which one they miss in the text alone, as 'database.table'.
func MissingTable(err error, table string) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server) && server.Number == erNoSuchTable &&
		strings.Contains(strings.ToLower(server.Message), "."+strings.ToLower(table)+"'")
}
