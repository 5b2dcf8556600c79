package witness

import (
	"context"
	"database/sql/driver"
	"errors"
	"go/importer"
	"go/types"
	"io"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// forwarded says which type of this package offers each interface of database/sql/driver.
var forwarded = map[string]struct{ iface, by reflect.Type }{
	"Conn":               {reflect.TypeFor[driver.Conn](), reflect.TypeFor[*Conn]()},
	"ConnBeginTx":        {reflect.TypeFor[driver.ConnBeginTx](), reflect.TypeFor[*Conn]()},
	"ConnPrepareContext": {reflect.TypeFor[driver.ConnPrepareContext](), reflect.TypeFor[*Conn]()},
	"ExecerContext":      {reflect.TypeFor[driver.ExecerContext](), reflect.TypeFor[*Conn]()},
	"QueryerContext":     {reflect.TypeFor[driver.QueryerContext](), reflect.TypeFor[*Conn]()},
	"NamedValueChecker":  {reflect.TypeFor[driver.NamedValueChecker](), reflect.TypeFor[*Conn]()},
	"Pinger":             {reflect.TypeFor[driver.Pinger](), reflect.TypeFor[*Conn]()},
	"SessionResetter":    {reflect.TypeFor[driver.SessionResetter](), reflect.TypeFor[*Conn]()},
	"Validator":          {reflect.TypeFor[driver.Validator](), reflect.TypeFor[*Conn]()},
	"Stmt":               {reflect.TypeFor[driver.Stmt](), reflect.TypeFor[*stmt]()},
	"StmtExecContext":    {reflect.TypeFor[driver.StmtExecContext](), reflect.TypeFor[*stmt]()},
	"StmtQueryContext":   {reflect.TypeFor[driver.StmtQueryContext](), reflect.TypeFor[*stmt]()},
	//lint:ignore SA1019 old drivers have it
	"ColumnConverter":                {reflect.TypeFor[driver.ColumnConverter](), reflect.TypeFor[*stmt]()},
	"Tx":                             {reflect.TypeFor[driver.Tx](), reflect.TypeFor[*tx]()},
	"Rows":                           {reflect.TypeFor[driver.Rows](), reflect.TypeFor[*rows]()},
	"RowsNextResultSet":              {reflect.TypeFor[driver.RowsNextResultSet](), reflect.TypeFor[*rows]()},
	"RowsColumnTypeScanType":         {reflect.TypeFor[driver.RowsColumnTypeScanType](), reflect.TypeFor[*rows]()},
	"RowsColumnTypeDatabaseTypeName": {reflect.TypeFor[driver.RowsColumnTypeDatabaseTypeName](), reflect.TypeFor[*rows]()},
	"RowsColumnTypeLength":           {reflect.TypeFor[driver.RowsColumnTypeLength](), reflect.TypeFor[*rows]()},
	"RowsColumnTypeNullable":         {reflect.TypeFor[driver.RowsColumnTypeNullable](), reflect.TypeFor[*rows]()},
	"RowsColumnTypePrecisionScale":   {reflect.TypeFor[driver.RowsColumnTypePrecisionScale](), reflect.TypeFor[*rows]()},
	"Connector":                      {reflect.TypeFor[driver.Connector](), reflect.TypeFor[*connector]()},
}

// waived says why an interface is not offered by what wraps a connection.
var waived = map[string]string{
	"Value":          "any value of a column or an argument; it has no methods",
	"Driver":         "the user's own driver is handed on",
	"DriverContext":  "of a driver, not of a connection",
	"Result":         "results are handed on as they are",
	"Valuer":         "of arguments, not of a connection",
	"ValueConverter": "of arguments, not of a connection",
	"Execer":         "superseded by ExecerContext, which database/sql asks first",
	"Queryer":        "superseded by QueryerContext, which database/sql asks first",
}

// Ensures that a wrapped connection loses none of the interfaces that database/sql looks for: each
// interface of the driver package, also one that a later Go adds, is offered or waived by name.
func TestEveryInterfaceOfDriversIsOfferedOrWaived(t *testing.T) {
	t.Parallel()
	pkg, err := importer.Default().Import("database/sql/driver")
	require.NoError(t, err)
	seen := 0
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if _, isType := obj.(*types.TypeName); !isType || !obj.Exported() || !types.IsInterface(obj.Type()) {
			continue
		}
		seen++
		f, ok := forwarded[name]
		switch {
		case ok && !f.by.Implements(f.iface):
			t.Errorf("%v does not offer driver.%s", f.by, name)
		case ok && f.iface.Name() != name:
			t.Errorf("the entry of driver.%s is about %v", name, f.iface)
		case !ok && waived[name] == "":
			t.Errorf("driver.%s is neither offered nor waived: forward it, or say why not", name)
		}
	}
	require.Equal(t, len(forwarded)+len(waived), seen, "interfaces of database/sql/driver")
}

// quiet is a Hook that lets everything pass.
type quiet struct{ failed []error }

func (*quiet) Exec(ctx context.Context, _ Statement, send func(context.Context) (driver.Result, error)) (driver.Result, error) {
	return send(ctx)
}

func (*quiet) Query(ctx context.Context, _ Statement, send func(context.Context) (driver.Rows, error)) (driver.Rows, error) {
	return send(ctx)
}

func (h *quiet) Failed(_ string, err error) error {
	h.failed = append(h.failed, err)
	return err
}

func (h *quiet) RowsDone() {}

// fullRows are rows with every optional interface.
type fullRows struct{ driver.Rows }

func (fullRows) HasNextResultSet() bool                            { return true }
func (fullRows) NextResultSet() error                              { return errAbort }
func (fullRows) ColumnTypeScanType(int) reflect.Type               { return reflect.TypeFor[int8]() }
func (fullRows) ColumnTypeDatabaseTypeName(int) string             { return "TINYINT" }
func (fullRows) ColumnTypeLength(int) (int64, bool)                { return 7, true }
func (fullRows) ColumnTypeNullable(int) (bool, bool)               { return true, true }
func (fullRows) ColumnTypePrecisionScale(int) (a, b int64, c bool) { return 5, 2, true }

// Ensures that what the rows of a driver can tell about their columns comes through, an error at
// the next result set is noted, and rows that cannot tell are answered for as database/sql would.
func TestRowsForwardWhatTheDriverTells(t *testing.T) {
	t.Parallel()
	h := &quiet{}
	full := &rows{inner: fullRows{}, hook: h}
	require.True(t, full.HasNextResultSet())
	require.Equal(t, errAbort, full.NextResultSet())
	require.Equal(t, []error{errAbort}, h.failed)
	require.Equal(t, reflect.TypeFor[int8](), full.ColumnTypeScanType(0))
	require.Equal(t, "TINYINT", full.ColumnTypeDatabaseTypeName(0))
	n, ok := full.ColumnTypeLength(0)
	require.True(t, ok && n == 7)
	nullable, ok := full.ColumnTypeNullable(0)
	require.True(t, ok && nullable)
	p, s, ok := full.ColumnTypePrecisionScale(0)
	require.True(t, ok && p == 5 && s == 2)

	plain := &rows{inner: struct{ driver.Rows }{}, hook: h}
	require.False(t, plain.HasNextResultSet())
	require.Equal(t, io.EOF, plain.NextResultSet())
	require.Equal(t, reflect.TypeFor[any](), plain.ColumnTypeScanType(0))
	require.Empty(t, plain.ColumnTypeDatabaseTypeName(0))
	_, ok = plain.ColumnTypeLength(0)
	require.False(t, ok)
	_, ok = plain.ColumnTypeNullable(0)
	require.False(t, ok)
	_, _, ok = plain.ColumnTypePrecisionScale(0)
	require.False(t, ok)
}

// fullConn is a connection that notes which of its optional methods were called.
type fullConn struct {
	*scriptdb.Conn
	called map[string]int
}

func (c fullConn) Ping(context.Context) error         { c.called["Ping"]++; return errAbort }
func (c fullConn) ResetSession(context.Context) error { c.called["ResetSession"]++; return errAbort }
func (c fullConn) IsValid() bool                      { c.called["IsValid"]++; return false }
func (c fullConn) Close() error                       { c.called["Close"]++; return errAbort }
func (c fullConn) CheckNamedValue(*driver.NamedValue) error {
	c.called["CheckNamedValue"]++
	return driver.ErrRemoveArgument
}

// Ensures that what a connection of the driver can do is asked of it, and its answer handed on; and
// that one which cannot is answered for as database/sql would.
func TestConnForwardsWhatTheDriverCan(t *testing.T) {
	t.Parallel()
	inner := fullConn{&scriptdb.Conn{}, map[string]int{}}
	c := Wrap(inner, &quiet{})
	require.Equal(t, inner, c.Unwrap())
	require.Equal(t, errAbort, c.Ping(t.Context()))
	require.Equal(t, errAbort, c.ResetSession(t.Context()))
	require.False(t, c.IsValid())
	require.Equal(t, errAbort, c.Close())
	require.Equal(t, driver.ErrRemoveArgument, c.CheckNamedValue(&driver.NamedValue{}))
	require.Equal(t, map[string]int{"Ping": 1, "ResetSession": 1, "IsValid": 1, "Close": 1, "CheckNamedValue": 1}, inner.called)

	dc, err := scriptdb.NewBare(nil).Connect(t.Context())
	require.NoError(t, err)
	bare := Wrap(dc, &quiet{})
	require.NoError(t, bare.Ping(t.Context()))
	require.NoError(t, bare.ResetSession(t.Context()))
	require.True(t, bare.IsValid())
	require.Equal(t, driver.ErrSkip, bare.CheckNamedValue(&driver.NamedValue{}))
	_, err = bare.ExecContext(t.Context(), "x", nil)
	require.Equal(t, driver.ErrSkip, err)
	_, err = bare.QueryContext(t.Context(), "x", nil)
	require.Equal(t, driver.ErrSkip, err)
	stmt, err := bare.Prepare("x")
	require.NoError(t, err)
	require.Equal(t, -1, stmt.NumInput())
	//lint:ignore SA1019 old drivers have it
	require.Equal(t, driver.DefaultParameterConverter, stmt.(driver.ColumnConverter).ColumnConverter(0))
	tx, err := bare.Begin()
	require.NoError(t, err)
	require.NoError(t, tx.Rollback())
}

// Ensures that an error while preparing, and one while closing a statement, is noted.
func TestErrorsAroundPreparedStatementsAreNoted(t *testing.T) {
	t.Parallel()
	h := &quiet{}
	c := Wrap(failingPrepare{}, h)
	_, err := c.Prepare("x")
	require.Equal(t, errAbort, err)
	s := &stmt{inner: failingClose{}, conn: c}
	require.Equal(t, errClose, s.Close())
	require.Equal(t, []error{errAbort, errClose}, h.failed)
}

var errClose = errors.New("close failed")

type failingPrepare struct{ driver.Conn }

func (failingPrepare) Prepare(string) (driver.Stmt, error) { return nil, errAbort }

type failingClose struct{ driver.Stmt }

func (failingClose) Close() error { return errClose }
