package txn

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// identity tells which session of which server a connection is. The zero value means that the
// database has no such notion (it is neither MySQL nor MariaDB), so that nothing can be killed.
type identity struct {
	id     uint64
	server string    // tells one server from another behind the same address
	host   string    // the client's address and port as the server sees them; may be empty
	schema string    // the default database that the connection started with; may be empty
	seen   time.Time // when the session was known to exist
	// rollsBack tells that a lock wait timeout undoes the whole transaction on this server, and not
	// only its statement.
	rollsBack bool
	// autocommit tells that a statement outside of a transaction commits itself.
	autocommit bool
	mariadb    bool
	// dirty tells that the session reads what others have not committed, unless a transaction says otherwise.
	dirty bool
	// chains tells that every COMMIT begins another transaction.
	chains bool
}

// What no harness works with. They are asked of the session once, like all of its identity.
var (
	errDirty = errors.New("this session reads what others have not committed, and may take back: " +
		"set transaction_isolation (tx_isolation on MariaDB) to READ-COMMITTED or above, in the DSN or on the server")
	errChains = errors.New("each COMMIT of this session begins another transaction, in which the next call would write " +
		"without ever committing: set completion_type to NO_CHAIN, in the DSN or on the server")
)

// unfit returns why nothing can be done in the session; isolated says that a transaction sets its own isolation.
func (i identity) unfit(isolated bool) error {
	switch {
	case i.chains:
		return errChains
	case i.dirty && !isolated:
		return errDirty
	}
	return nil
}

func (i identity) known() bool { return i.id != 0 }

// identityQuery asks for the address only of sessions that may be from the first seconds of their server,
// where the uptime does not tell one server process from the next: to list all sessions takes a busy
// server long.
const (
	identityQuery = identityHead + "IF(CONNECTION_ID() < 1000, " +
		"(SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()), '')" + identityTail
	// hostlessQuery is identityQuery for when that table cannot be read: see sessionQuery.
	hostlessQuery = identityHead + "''" + identityTail

	identityHead = "SELECT CONNECTION_ID(), CONCAT_WS(':', @@hostname, @@port, @@server_id), "
	// The variable of the isolation has one name on MySQL 8 and later, and another on MariaDB; each reads its comment.
	identityTail = ", DATABASE(), @@innodb_rollback_on_timeout, @@autocommit, @@version, " +
		"CONCAT('' /*!80000 , @@transaction_isolation */ /*M! , @@tx_isolation */), @@completion_type"
)

// earlySessions is how many sessions a server is taken to have had in its first seconds; identityQuery has it too.
const earlySessions = 1000

// identityColumns is how many columns identityQuery has.
const identityColumns = 9

// identities remembers the identity of each live driver connection, which costs a round trip to
// ask for. It keeps no connection of any pool alive: its keys are bare addresses, and an entry goes
// with its connection. That an address is still that connection's, and not that of one which has come
// after it, is what the weak pointer beside it says. (As a key that would have to be made anew by
// every call, which is slow.)
var identities sync.Map // uintptr -> *acquaintance

// acquaintance is a connection's identity.
type acquaintance struct {
	conn    weak.Pointer[byte]
	ident   identity
	started atomic.Pointer[time.Time] // when its server did, once anybody has asked
}

// identify returns the identity of dc, from the cache if it can.
func identify(ctx context.Context, dc driver.Conn) (identity, error) {
	known, err := meet(ctx, dc)
	if err != nil {
		return identity{}, err
	}
	return known.ident, nil
}

// meet returns what is known of dc, from the cache if it can.
func meet(ctx context.Context, dc driver.Conn) (*acquaintance, error) {
	p, at := address(dc)
	if v, ok := identities.Load(at); ok && p != nil {
		if known := v.(*acquaintance); known.conn.Value() == p {
			return known, nil
		}
	}
	ident, err := askIdentity(ctx, dc)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return &acquaintance{ident: ident}, nil
	}
	known := &acquaintance{conn: weak.Make(p), ident: ident}
	identities.Store(at, known)
	runtime.AddCleanup(p, func(at uintptr) { identities.CompareAndDelete(at, known) }, at)
	return known, nil
}

// address returns where a connection is. Drivers hand out pointers; one that does not, which is nil here,
// is asked for its identity every time.
func address(dc driver.Conn) (p *byte, at uintptr) {
	v := reflect.ValueOf(dc)
	if v.Kind() != reflect.Pointer || v.Type().Elem().Size() == 0 {
		return nil, 0
	}
	return (*byte)(v.UnsafePointer()), v.Pointer()
}

// askIdentity asks the server. A database that does not know the question has no identity; what is wrong with
// the connection, the context or the moment is an error, so that the question is asked again.
func askIdentity(ctx context.Context, dc driver.Conn) (identity, error) {
	ident, err := askOnce(ctx, dc, identityQuery)
	if !mysqlerr.NotText(err) {
		return ident, err
	}
	if ident, err = askOnce(ctx, dc, hostlessQuery); err == nil && ident.id < earlySessions && ident.known() {
		ident.host, err = listedHost(ctx, dc, ident.id)
	}
	return ident, err
}

func askOnce(ctx context.Context, dc driver.Conn, query string) (identity, error) {
	rows, err := queryDriver(ctx, dc, query)
	if err != nil {
		return noIdentity(err)
	}
	defer rows.Close()
	dest := make([]driver.Value, max(identityColumns, len(rows.Columns())))
	if err := rows.Next(dest); err != nil {
		if err == io.EOF { // bare, by contract
			return identity{}, nil
		}
		return noIdentity(err)
	}
	return newIdentity(dest), nil
}

// newIdentity reads an answer to identityQuery.
func newIdentity[V any](dest []V) identity {
	id, err := strconv.ParseUint(text(dest[0]), 10, 64)
	if err != nil {
		return identity{} // not the answer of a server we know
	}
	return identity{
		id: id, server: text(dest[1]), host: text(dest[2]), schema: text(dest[3]),
		seen: time.Now(), rollsBack: text(dest[4]) == "1",
		autocommit: text(dest[5]) == "1", mariadb: strings.Contains(text(dest[6]), "MariaDB"),
		dirty: text(dest[7]) == "READ-UNCOMMITTED", chains: text(dest[8]) == "CHAIN" || text(dest[8]) == "1",
	}
}

func noIdentity(err error) (identity, error) {
	switch mysqlerr.Classify(err) {
	case mysqlerr.Lost, mysqlerr.Context, mysqlerr.Interrupted:
		return identity{}, err
	}
	if mysqlerr.NotText(err) {
		return identity{}, err
	}
	return identity{}, nil
}

// text returns a value as the text protocol has it; NULL is empty.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}

// queryDriver runs a query without arguments on a bare driver connection.
func queryDriver(ctx context.Context, dc driver.Conn, query string) (driver.Rows, error) {
	if q, ok := dc.(driver.QueryerContext); ok {
		rows, err := q.QueryContext(ctx, query, nil)
		if err != driver.ErrSkip { // bare, by contract
			return rows, err
		}
	}
	return nil, errNoQueryer
}

// forget has identify ask again: the connection's default schema is another.
func forget(dc driver.Conn) {
	if p, at := address(dc); p != nil {
		identities.Delete(at)
	}
}
