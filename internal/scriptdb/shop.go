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
// 1. It knows no isolation: a transaction is a list of what to undo.
func Shop() *Script {
	s := &shop{
		accounts: map[int64]*row{42: {"alice", 100, 7}, 43: {"bob", 50, 1}},
		products: map[int64]*row{1: {"Chai", 100, 1}},
		open:     map[*Conn][]func(){},
	}
	return New(s.handle)
}

// row is an account with its balance or a product with its stock.
type row struct {
	name    string
	amount  int64
	version int64
}

type entry struct{ account, amount int64 }

type shop struct {
	mu       sync.Mutex
	accounts map[int64]*row
	products map[int64]*row
	ledger   []entry
	open     map[*Conn][]func() // what to undo, newest last
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
		delete(s.open, c)
		return Reply{}, nil
	case "ROLLBACK", "CLOSE":
		undo := s.open[c]
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
		delete(s.open, c)
		return Reply{}, nil
	}
	return s.query(c, st)
}

// query tells the queries of gen/shop by the name that sqlc writes above each.
func (s *shop) query(c *Conn, st Statement) (Reply, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(st.Query, "-- name: "), " ")
	switch name {
	case "GetAccount", "GetAccountForUpdate":
		return get(s.accounts, st), nil
	case "GetStock", "GetStockForUpdate":
		return get(s.products, st), nil
	case "DeductBalance", "CreditBalance":
		return s.swap(c, s.accounts, st), nil
	case "DeductStock", "AddStock":
		return s.swap(c, s.products, st), nil
	case "InsertLedgerEntry":
		s.ledger = append(s.ledger, entry{st.Arg(0).(int64), st.Arg(1).(int64)})
		s.undo(c, func() { s.ledger = s.ledger[:len(s.ledger)-1] })
		return Reply{Affected: 1}, nil
	case "SumLedger":
		var sum int64
		for _, e := range s.ledger {
			if e.account == st.Arg(0).(int64) {
				sum += e.amount
			}
		}
		return Reply{Columns: []string{"total"}, Rows: [][]driver.Value{{sum}}}, nil
	}
	if strings.HasPrefix(st.Query, "UPDATE account SET balance = ?") { // written by hand
		return s.swap(c, s.accounts, st), nil
	}
	if strings.HasPrefix(st.Query, "SELECT CONNECTION_ID()") { // asked by the runner; the shop is no server
		return Reply{}, nil
	}
	return Reply{}, fmt.Errorf("scriptdb: the shop does not play %q", st.Query)
}

func get(table map[int64]*row, st Statement) Reply {
	reply := Reply{Columns: []string{"id", "name", "amount", "version"}}
	id := st.Arg(0).(int64)
	if r := table[id]; r != nil {
		reply.Rows = [][]driver.Value{{id, r.name, r.amount, r.version}}
	}
	return reply
}

// swap sets the amount where id and version are as given.
func (s *shop) swap(c *Conn, table map[int64]*row, st Statement) Reply {
	r := table[st.Arg(1).(int64)]
	if r == nil || r.version != st.Arg(2).(int64) {
		return Reply{}
	}
	before := *r
	s.undo(c, func() { *r = before })
	r.amount = st.Arg(0).(int64)
	r.version++
	return Reply{Affected: 1}
}

func (s *shop) undo(c *Conn, f func()) {
	if _, ok := s.open[c]; ok {
		s.open[c] = append(s.open[c], f)
	}
}
