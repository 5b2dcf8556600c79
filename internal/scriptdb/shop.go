package scriptdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
)

// Shop plays package gen/shop's queries in memory. Account 42 is alice's with 100 cents at version
// 7, account 43 is bob's with 50 at version 1; product 1 is Chai, with 100 units in stock at version
// 1. For statements that are written by hand there are seats 1, 2 and 3 as well, of which alice holds
// the first, and order 7 of alice's at version 3; see handWritten. It knows no isolation and no locks: a
// transaction is a list of what to undo.
func Shop() *Script { return New(newShop().handle) }

// LockingShop is a Shop in which a transaction locks the rows that it writes or reads FOR UPDATE, as
// those of a server are, and others wait for them until they are killed. It makes errors by serverError,
// which is the driver's to make: this package knows no driver. It notices no deadlocks.
func LockingShop(serverError func(number uint16, message string) error) *Script {
	s := newShop()
	s.locks = newLocks(serverError)
	return New(s.handle)
}

func newShop() *shop {
	return &shop{
		accounts: &table{columns: 4, rows: map[int64]*row{42: {"alice", 100, 7}, 43: {"bob", 50, 1}}},
		products: &table{columns: 4, rows: map[int64]*row{1: {"Chai", 100, 1}}},
		seats:    &table{columns: 3, rows: map[int64]*row{1: {"alice", 0, 2}, 2: {"", 0, 1}, 3: {"", 0, 1}}},
		orders:   &table{columns: 3, rows: map[int64]*row{7: {"alice", 0, 3}}},
		open:     map[*Conn][]func(){},
	}
}

type entry struct{ account, amount int64 }

type shop struct {
	mu     sync.Mutex
	ledger []entry
	open   map[*Conn][]func() // what to undo, newest last
	locks  *locks             // nil: there are none

	accounts, products, seats, orders *table
}

func (s *shop) handle(ctx context.Context, c *Conn, st Statement) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch st.Query {
	case "BEGIN":
		s.open[c] = []func(){}
		return Reply{}, nil
	case "COMMIT":
		s.end(c)
		return Reply{}, nil
	case "ROLLBACK", "CLOSE":
		undo := s.open[c]
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
		s.end(c)
		return Reply{}, nil
	}
	if reply, ok, err := s.session(c, st); ok {
		return reply, err
	}
	return s.query(ctx, c, st)
}

func (s *shop) end(c *Conn) {
	delete(s.open, c)
	s.locks.free(c)
}

// query tells the queries of gen/shop by the name that sqlc writes above each, and those written by
// hand by their text.
func (s *shop) query(ctx context.Context, c *Conn, st Statement) (Reply, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(st.Query, "-- name: "), " ")
	if query, ok := handWritten[strings.Join(strings.Fields(st.Query), " ")]; ok {
		name = query
	}
	t := s.of(name)
	switch name {
	case "GetAccount", "GetStock", "GetSeat", "GetOrder":
		return t.get(st.Arg(0).(int64)), nil
	case "GetAccountForUpdate", "GetStockForUpdate", "GetSeatForUpdate", "GetOrderForUpdate":
		return s.lockAndGet(ctx, c, t, st, waits)
	case "GetAccountForUpdateNoWait", "GetStockForUpdateNoWait", "GetSeatForUpdateNoWait":
		return s.lockAndGet(ctx, c, t, st, noWait)
	case "GetAccountForUpdateSkipLocked", "GetStockForUpdateSkipLocked", "GetSeatForUpdateSkipLocked":
		return s.lockAndGet(ctx, c, t, st, skipLocked)
	case "TakeSeats":
		return s.take(c, t, int(st.Arg(0).(int64))), nil
	case "DeductBalance", "CreditBalance", "DeductStock", "AddStock":
		return s.write(ctx, c, t, st.Arg(1), st.Arg(2), func(r *row) { r.amount = st.Arg(0).(int64) }, 1)
	case "SwapAccount", "SwapStock":
		return s.write(ctx, c, t, st.Arg(3), st.Arg(4), func(r *row) {
			r.name, r.amount = st.Arg(0).(string), st.Arg(1).(int64)
		}, st.Arg(2).(int64))
	case "SwapSeat", "SwapOrder":
		return s.write(ctx, c, t, st.Arg(2), st.Arg(3), func(r *row) { r.name = st.Arg(0).(string) }, st.Arg(1).(int64))
	case "DeleteAccount", "DeleteStock", "DeleteSeat":
		return s.write(ctx, c, t, st.Arg(0), st.Arg(1), nil, 0)
	case "InsertStock":
		return s.insert(c, t, st.Arg(0).(int64), row{st.Arg(1).(string), st.Arg(2).(int64), 1})
	case "AddLine": // nobody asks for lines
		return Reply{Affected: 1}, nil
	case "InsertLedgerEntry":
		s.ledger = append(s.ledger, entry{st.Arg(0).(int64), st.Arg(1).(int64)})
		s.undo(c, func() { s.ledger = s.ledger[:len(s.ledger)-1] })
		return Reply{Affected: 1}, nil
	case "SumLedger":
		return s.sumLedger(st.Arg(0).(int64)), nil
	}
	return Reply{}, fmt.Errorf("scriptdb: the shop does not play %q", st.Query)
}

// seat and order are how their queries begin.
const (
	seat  = "SELECT id, holder, version FROM seat "
	order = "SELECT id, customer, version FROM orders "
)

// handWritten are the statements that the shop plays besides sqlc's, under the names that sqlc would
// give them.
var handWritten = map[string]string{
	"UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?": "DeductBalance",

	seat + "WHERE id = ?":                                                            "GetSeat",
	seat + "WHERE id = ? FOR UPDATE":                                                 "GetSeatForUpdate",
	seat + "WHERE id = ? FOR UPDATE NOWAIT":                                          "GetSeatForUpdateNoWait",
	seat + "WHERE id = ? FOR UPDATE SKIP LOCKED":                                     "GetSeatForUpdateSkipLocked",
	seat + "WHERE holder = '' ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED":            "TakeSeats",
	"UPDATE seat SET holder = ?, version = version + ? WHERE id = ? AND version = ?": "SwapSeat",
	"DELETE FROM seat WHERE id = ? AND version = ?":                                  "DeleteSeat",

	order + "WHERE id = ?":            "GetOrder",
	order + "WHERE id = ? FOR UPDATE": "GetOrderForUpdate",
	"UPDATE orders SET customer = ?, version = version + ? WHERE id = ? AND version = ?": "SwapOrder",
	"INSERT INTO order_line (order_id, product_id, quantity) VALUES (?, ?, ?)":           "AddLine",
}

// of returns the table that a query is about.
func (s *shop) of(query string) *table {
	switch {
	case strings.Contains(query, "Seat"):
		return s.seats
	case strings.Contains(query, "Order"):
		return s.orders
	case strings.Contains(query, "Stock"):
		return s.products
	}
	return s.accounts
}

func (s *shop) sumLedger(account int64) Reply {
	var sum int64
	for _, e := range s.ledger {
		if e.account == account {
			sum += e.amount
		}
	}
	return Reply{Columns: []string{"total"}, Rows: [][]driver.Value{{sum}}}
}

func (s *shop) undo(c *Conn, f func()) {
	if _, ok := s.open[c]; ok {
		s.open[c] = append(s.open[c], f)
	}
}
