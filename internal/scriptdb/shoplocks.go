package scriptdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// wait says what a statement does about a lock that another connection holds.
type wait int

const (
	waits wait = iota
	noWait
	skipLocked
)

// errSkipped says that SKIP LOCKED has left out a row.
var errSkipped = errors.New("scriptdb: skipped")

// rowID names one row of the shop.
type rowID struct {
	table *table
	id    int64
}

// locks are who holds which row, and who waits for one.
type locks struct {
	makeError func(number uint16, message string) error
	holders   map[rowID]*Conn
	waiters   map[*Conn]*waiter
	freed     chan struct{} // closed, and made anew, when rows are freed
}

type waiter struct {
	row    rowID
	killed chan struct{}
}

func newLocks(serverError func(number uint16, message string) error) *locks {
	return &locks{
		makeError: serverError, holders: map[rowID]*Conn{}, waiters: map[*Conn]*waiter{}, freed: make(chan struct{}),
	}
}

// serverError makes an error of a server's.
func (l *locks) serverError(number uint16, message string) error {
	if l == nil {
		return fmt.Errorf("scriptdb: error %d: %s", number, message)
	}
	return l.makeError(number, message)
}

// lock has c lock a row, for as long as its transaction lasts. It is called with the shop locked, which
// it unlocks while it waits. Outside of a transaction it waits, and holds nothing.
func (s *shop) lock(ctx context.Context, c *Conn, t *table, id int64, w wait) error {
	if s.locks == nil {
		return nil
	}
	l, row := s.locks, rowID{t, id}
	for l.holders[row] != nil && l.holders[row] != c {
		switch w {
		case noWait:
			return l.serverError(3572, "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
		case skipLocked:
			return errSkipped
		}
		if err := s.await(ctx, c, row); err != nil {
			return err
		}
	}
	if _, open := s.open[c]; open {
		l.holders[row] = c
	}
	return nil
}

func (s *shop) await(ctx context.Context, c *Conn, row rowID) error {
	l, me := s.locks, &waiter{row: row, killed: make(chan struct{})}
	l.waiters[c] = me
	freed := l.freed
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(l.waiters, c)
	}()
	select {
	case <-freed:
		return nil
	case <-me.killed:
		return l.serverError(1317, "Query execution was interrupted")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// free frees all that c holds.
func (l *locks) free(c *Conn) {
	if l == nil {
		return
	}
	for row, holder := range l.holders {
		if holder == c {
			delete(l.holders, row)
		}
	}
	close(l.freed)
	l.freed = make(chan struct{})
}

// kill ends what the connection with the number waits for.
func (l *locks) kill(id int) {
	if l == nil {
		return
	}
	for c, w := range l.waiters {
		if c.ID == id {
			close(w.killed)
			delete(l.waiters, c)
		}
	}
}

// blocker returns whose lock the connection with the number waits for, or nil.
func (l *locks) blocker(id int64) *Conn {
	if l == nil {
		return nil
	}
	for c, w := range l.waiters {
		if int64(c.ID) == id {
			return l.holders[w.row]
		}
	}
	return nil
}

// address is what the shop takes a connection to come from.
func address(c int) string { return fmt.Sprintf("10.0.0.7:%d", 50000+c) }

// session answers what the library asks a server about sessions, and tells whether it was such a
// question. KILL of a whole session is not played: what became of a lost COMMIT stays unknown.
func (s *shop) session(c *Conn, st Statement) (Reply, bool, error) {
	var id int
	switch {
	case strings.HasPrefix(st.Query, "SELECT CONNECTION_ID(), "):
		return one(int64(c.ID), "shop:3306:1", address(c.ID), "shop", "0", "1", "9.0.0-scriptdb"), true, nil
	case st.Query == "SHOW GLOBAL STATUS LIKE 'Uptime'":
		return one("Uptime", "86400"), true, nil
	case scanned(st.Query, "SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = %d", &id):
		return one(address(id)), true, nil
	case strings.HasPrefix(st.Query, "SELECT b.PROCESSLIST_ID, "):
		if holder := s.locks.blocker(st.Arg(0).(int64)); holder != nil {
			return one(int64(holder.ID), "app", address(holder.ID)), true, nil
		}
		return Reply{Columns: make([]string, 3)}, true, nil
	case scanned(st.Query, "KILL QUERY %d", &id):
		s.locks.kill(id)
		return Reply{}, true, nil
	case st.Query == "DO 0":
		return Reply{}, true, nil
	}
	return Reply{}, false, nil
}

func scanned(query, format string, id *int) bool {
	n, err := fmt.Sscanf(query, format, id)
	return n == 1 && err == nil
}

func one(values ...driver.Value) Reply {
	return Reply{Columns: make([]string, len(values)), Rows: [][]driver.Value{values}}
}
