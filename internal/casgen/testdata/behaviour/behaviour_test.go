//go:build golden

// Package behaviour runs what the plugin has generated for the cases beside it. The plugin's tests start it, with
// the tag: what it imports is written anew by -update-plugin, and may not compile before.
package behaviour

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	composite "github.com/sqlcas/sqlcas/internal/casgen/testdata/plugin/composite/want"
	overrides "github.com/sqlcas/sqlcas/internal/casgen/testdata/plugin/overrides/want"
	pointers "github.com/sqlcas/sqlcas/internal/casgen/testdata/plugin/pointers/want"
	shop "github.com/sqlcas/sqlcas/internal/casgen/testdata/plugin/shop/want"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// answering is a database that answers everything alike.
func answering(t *testing.T, reply scriptdb.Reply, err error) (*scriptdb.Script, *sql.DB) {
	script := scriptdb.New(func(context.Context, *scriptdb.Conn, scriptdb.Statement) (scriptdb.Reply, error) {
		return reply, err
	})
	db := script.Open()
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return script, db
}

// last is the last statement that was sent, without comments.
func last(t *testing.T, script *scriptdb.Script) (text string, args []driver.Value) {
	t.Helper()
	sent := script.Sent()
	require.NotEmpty(t, sent)
	st := sent[len(sent)-1]
	for _, a := range st.Args {
		args = append(args, a.Value)
	}
	_, text, _ = strings.Cut(st.Query, "\n")
	return strings.Join(strings.Fields(text), " "), args
}

// Ensures that a write with OrConflict is nil for one row, names row and version for none, and leaves every other
// outcome what it is.
func TestOrConflictTellsTheRow(t *testing.T) {
	t.Parallel()
	failed := errors.New("of the server")
	arg := shop.DeductBalanceParams{Balance: 70, ID: 42, Version: 7}
	for _, c := range []struct {
		affected int64
		err      error
		want     error
	}{{1, nil, nil}, {2, nil, sqlcas.ErrTooManyRows}, {0, failed, failed}, {-1, nil, sqlcas.ErrNoRowCount}} {
		_, db := answering(t, scriptdb.Reply{Affected: c.affected}, c.err)
		require.ErrorIs(t, shop.New(db).DeductBalanceOrConflict(t.Context(), arg), c.want)
	}
	_, db := answering(t, scriptdb.Reply{}, nil)
	err := shop.New(db).DeductBalanceOrConflict(t.Context(), arg)
	require.Equal(t, &sqlcas.ConflictError{Table: "account", Key: uint64(42), Expected: 7}, err)
	require.ErrorIs(t, err, sqlcas.ErrConflict)

	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	err = composite.New(db).ReleaseOrConflict(t.Context(), composite.ReleaseParams{
		Flight: 1, Seat: []byte("12A"), Code: []byte("x"), Day: day, LockVersion: 3,
	})
	key := composite.SeatKey{Flight: 1, Seat: [3]byte{'1', '2', 'A'}, Code: "x", Day: day}
	require.Equal(t, &sqlcas.ConflictError{Table: "seats", Key: key, Expected: 3}, err)
}

// Ensures that an upsert inserts what was never read and swaps what was, that both tell a conflict, and that a
// version at its end is not moved.
func TestUpsertInsertsOrSwaps(t *testing.T) {
	t.Parallel()
	row := shop.Inventory{ProductID: 5, Name: "nut", OnHand: 9}
	script, db := answering(t, scriptdb.Reply{Affected: 1}, nil)
	inserted, err := shop.UpsertStock(t.Context(), db, row)
	require.NoError(t, err)
	require.True(t, inserted)
	text, args := last(t, script)
	require.Equal(t, "INSERT INTO inventory (product_id, name, on_hand) VALUES (?, ?, ?)", text)
	require.Equal(t, []driver.Value{int64(5), "nut", int64(9)}, args)

	row.Version = 3
	inserted, err = shop.UpsertStock(t.Context(), db, row)
	require.NoError(t, err)
	require.False(t, inserted)
	text, args = last(t, script)
	require.Equal(t, "UPDATE inventory SET name = ?, on_hand = ?, version = version + ? WHERE product_id = ? AND version = ?", text)
	require.Equal(t, []driver.Value{"nut", int64(9), int64(1), int64(5), int64(3)}, args)

	_, db = answering(t, scriptdb.Reply{}, nil)
	_, err = shop.UpsertStock(t.Context(), db, row)
	require.Equal(t, &sqlcas.ConflictError{Table: "inventory", Key: uint64(5), Expected: 3}, err)

	duplicate := &mysql.MySQLError{Number: 1062, Message: "Duplicate entry '5' for key 'inventory.PRIMARY'"}
	_, db = answering(t, scriptdb.Reply{}, duplicate)
	row.Version = 0
	inserted, err = shop.UpsertStock(t.Context(), db, row)
	require.False(t, inserted)
	require.ErrorIs(t, err, sqlcas.ErrConflict)

	row.Version = math.MaxUint64
	_, err = shop.UpsertStock(t.Context(), nil, row)
	require.ErrorIs(t, err, sqlcas.ErrVersionOverflow)
	_, err = composite.UpsertToken(t.Context(), nil, composite.Token{Revision: math.MaxUint16})
	require.ErrorIs(t, err, sqlcas.ErrVersionOverflow)
}

// Ensures that keys of bytes are compared and sent by what is in them, that a row without one does not panic, and
// that a composite key is ordered by its columns in their order.
func TestKeysAreValues(t *testing.T) {
	t.Parallel()
	table := composite.TokenTable
	require.Equal(t, [16]byte{}, table.Key(composite.Token{}))
	low, high := table.Key(composite.Token{ID: []byte("0123456789abcdef")}), [16]byte{0: 'z'}
	require.Negative(t, table.Compare(low, high))
	require.Zero(t, table.Compare(low, low))

	script, db := answering(t, scriptdb.Reply{Columns: []string{"id", "uses", "revision"}}, nil)
	_, err := table.Get(t.Context(), db, low)
	require.ErrorIs(t, err, sql.ErrNoRows)
	_, args := last(t, script)
	require.Equal(t, []driver.Value{[]byte("0123456789abcdef")}, args)

	compare := composite.SeatTable.Compare
	require.Negative(t, compare(composite.SeatKey{Flight: 1, Code: "z"}, composite.SeatKey{Flight: 2, Code: "a"}))
	require.Positive(t, compare(composite.SeatKey{Seat: [3]byte{1}}, composite.SeatKey{Code: "z"}))

	addresses := overrides.MachineTable.Compare
	a, b := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fe80::1%eth0")
	require.Negative(t, addresses(a, b))
	require.Positive(t, addresses(b, a))
	require.Zero(t, addresses(b, netip.MustParseAddr("fe80::1%eth0")))
}

// Ensures that versions of all integer types are read and written as what they are, and that a negative one is
// none.
func TestVersionsOfAllTypes(t *testing.T) {
	t.Parallel()
	row := composite.Seat{LockVersion: -3}
	require.Zero(t, composite.SeatTable.Version(row))
	composite.SeatTable.SetVersion(&row, 7)
	require.EqualValues(t, 7, row.LockVersion)
	require.EqualValues(t, 7, composite.SeatTable.Version(row))

	script, db := answering(t, scriptdb.Reply{Affected: 1}, nil)
	affected, err := composite.TokenTable.Swap(t.Context(), db, composite.Token{Uses: 4, Revision: 9}, 3)
	require.NoError(t, err)
	require.EqualValues(t, 1, affected)
	_, args := last(t, script)
	require.Equal(t, []driver.Value{int64(4), int64(3), []byte(nil), int64(9)}, args)

	want := []sqlcas.Schema{
		{Name: "seats", Key: []string{"flight", "seat", "code", "day"}, Version: "lock_version", Max: math.MaxInt32, Zero: true},
		{Name: "token", Key: []string{"id"}, Version: "revision", Max: math.MaxUint16},
		{Name: "page", Key: []string{"path"}, Version: "version", Max: math.MaxInt64},
		{Name: "slot", Key: []string{"at"}, Version: "version", Max: math.MaxInt8},
	}
	require.Equal(t, want, composite.Schemas)
}

// Ensures that a clone shares nothing with its row, and that what is nil stays so.
func TestClonesShareNothing(t *testing.T) {
	t.Parallel()
	row := composite.Page{Path: []byte("a"), Body: []byte("b")}
	clone := composite.PageTable.Clone(row)
	clone.Body[0], clone.Path[0] = 'x', 'x'
	require.Equal(t, composite.Page{Path: []byte("a"), Body: []byte("b")}, row)
	require.Nil(t, composite.SeatTable.Clone(composite.Seat{}).Notes)

	alias := "old"
	host := overrides.Machine{Alias: &alias, Shape: []byte{1}}
	copied := overrides.MachineTable.Clone(host)
	*copied.Alias, copied.Shape.([]byte)[0] = "new", 2
	require.Equal(t, "old", alias)
	require.Equal(t, []byte{1}, host.Shape)
	require.Nil(t, overrides.MachineTable.Clone(overrides.Machine{}).Alias)
}

// Ensures that the locking read sends the clause of each way to wait, and a struct of sqlc's own for each of them
// arrives as the descriptor's.
func TestLocksWaitAsAsked(t *testing.T) {
	t.Parallel()
	columns := []string{"flight", "seat", "code", "day", "state", "lock_version"}
	row := []driver.Value{int64(1), []byte("12A"), []byte("x"), time.Time{}, "free", int64(3)}
	script, db := answering(t, scriptdb.Reply{Columns: columns, Rows: [][]driver.Value{row}}, nil)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback()) }()
	for wait, clause := range map[sqlcas.LockWait]string{
		sqlcas.LockWaits: "FOR UPDATE", sqlcas.LockNoWait: "FOR UPDATE NOWAIT", sqlcas.LockSkipLocked: "FOR UPDATE SKIP LOCKED",
	} {
		seat, err := composite.SeatStateTable.GetForUpdate(t.Context(), tx, composite.SeatKey{Flight: 1}, wait)
		require.NoError(t, err)
		require.Equal(t, composite.SeatState{
			Flight: 1, Seat: []byte("12A"), Code: []byte("x"), State: composite.SeatsStateFree, LockVersion: 3,
		}, seat)
		text, _ := last(t, script)
		_, after, _ := strings.Cut(text, " FOR UPDATE")
		require.Equal(t, clause, "FOR UPDATE"+after)
	}
}

// Ensures that a row that is not there is sql.ErrNoRows where sqlc returns pointers too.
func TestPointersAreFollowed(t *testing.T) {
	t.Parallel()
	_, db := answering(t, scriptdb.Reply{Columns: []string{"product_id", "name", "on_hand", "version"}}, nil)
	row, err := pointers.InventoryTable.Get(t.Context(), db, 1)
	require.ErrorIs(t, err, sql.ErrNoRows)
	require.Zero(t, row)
	_, err = pointers.InventoryTable.Get(t.Context(), failing{}, 1)
	require.Error(t, err)
}

// failing is a database that cannot be reached.
type failing struct{ sqlcas.DBTX }

func (failing) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	db := scriptdb.New(nil).Open()
	defer db.Close()
	return db.QueryRowContext(ctx, query, args...)
}
