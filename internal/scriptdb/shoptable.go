package scriptdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
)

// row is an account with its balance, a product with its stock, or a seat or an order, which have no
// amount.
type row struct {
	name    string
	amount  int64
	version int64
}

// table is one of the shop's tables. A query reads 4 columns of it, or all but the amount.
type table struct {
	columns int
	rows    map[int64]*row
}

func (t *table) get(ids ...int64) Reply {
	reply := Reply{Columns: []string{"id", "name", "amount", "version"}}
	if t.columns == 3 {
		reply.Columns = []string{"id", "name", "version"}
	}
	for _, id := range ids {
		switch r := t.rows[id]; {
		case r == nil:
		case t.columns == 3:
			reply.Rows = append(reply.Rows, []driver.Value{id, r.name, r.version})
		default:
			reply.Rows = append(reply.Rows, []driver.Value{id, r.name, r.amount, r.version})
		}
	}
	return reply
}

// lockAndGet is a read FOR UPDATE.
func (s *shop) lockAndGet(ctx context.Context, c *Conn, t *table, st Statement, w wait) (Reply, error) {
	id := st.Arg(0).(int64)
	if err := s.lock(ctx, c, t, id, w); err == errSkipped {
		return t.get(), nil
	} else if err != nil {
		return Reply{}, err
	}
	return t.get(id), nil
}

// take reads and locks up to n rows that are nobody's and that nobody has locked.
func (s *shop) take(c *Conn, t *table, n int) Reply {
	var free []int64
	for _, id := range slices.Sorted(maps.Keys(t.rows)) {
		if len(free) == n {
			break
		}
		if t.rows[id].name == "" && s.lock(context.Background(), c, t, id, skipLocked) == nil {
			free = append(free, id)
		}
	}
	return t.get(free...)
}

// write changes the row where id and version are as given, and moves the version by steps. A nil
// change deletes it.
func (s *shop) write(
	ctx context.Context, c *Conn, t *table, id, version driver.Value, change func(*row), steps int64,
) (Reply, error) {
	key := id.(int64)
	if err := s.lock(ctx, c, t, key, waits); err != nil {
		return Reply{}, err
	}
	r := t.rows[key]
	if r == nil || r.version != version.(int64) {
		return Reply{}, nil
	}
	before := *r
	s.undo(c, func() {
		*r = before
		t.rows[key] = r
	})
	if change == nil {
		delete(t.rows, key)
		return Reply{Affected: 1}, nil
	}
	change(r)
	r.version += steps
	return Reply{Affected: 1}, nil
}

// insert enters a row that is not there yet.
func (s *shop) insert(c *Conn, t *table, id int64, r row) (Reply, error) {
	if t.rows[id] != nil {
		return Reply{}, s.locks.serverError(1062, fmt.Sprintf("Duplicate entry '%d' for key 'PRIMARY'", id))
	}
	t.rows[id] = &r
	s.undo(c, func() { delete(t.rows, id) })
	return Reply{Affected: 1}, nil
}
