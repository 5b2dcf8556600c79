package txn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// The list of sessions. As a table of information_schema one row of it can be asked for. But on MySQL that is an error
// for everybody as long as any session of the server is at a statement with bytes that are no text in utf8,
// whichever row and columns are asked for; SHOW PROCESSLIST, which lists all, is not. (performance_schema has the table as
// well, and is off on many servers.)
const (
	sessionQuery  = "SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = %d"
	sessionsQuery = "SHOW PROCESSLIST"
)

// Where SHOW PROCESSLIST has what.
const idColumn, hostColumn = 0, 2

// sessionThere reports whether there is a session with the number that is the one meant, by its client's
// address.
func sessionThere(ctx context.Context, conn *sql.Conn, ident identity) (bool, error) {
	host, err := hostOf(ctx, conn, ident.id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil && (host == ident.host || ident.host == ""), err
}

// hostOf returns the address of a session's client; sql.ErrNoRows if there is no such session.
func hostOf(ctx context.Context, conn *sql.Conn, id uint64) (host string, err error) {
	err = conn.QueryRowContext(ctx, fmt.Sprintf(sessionQuery, id)).Scan(&host)
	if !mysqlerr.NotText(err) {
		return host, err
	}
	err = conn.Raw(func(dc any) (err error) {
		host, err = listedHost(ctx, dc.(driver.Conn), id)
		return err
	})
	return host, err
}

// listedHost is hostOf by SHOW PROCESSLIST.
func listedHost(ctx context.Context, dc driver.Conn, id uint64) (string, error) {
	rows, err := queryDriver(ctx, dc, sessionsQuery)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	dest := make([]driver.Value, max(hostColumn+1, len(rows.Columns())))
	for {
		switch err := rows.Next(dest); {
		case err == io.EOF: // bare, by contract
			return "", sql.ErrNoRows
		case err != nil:
			return "", err
		case text(dest[idColumn]) == strconv.FormatUint(id, 10):
			return text(dest[hostColumn]), nil
		}
	}
}
