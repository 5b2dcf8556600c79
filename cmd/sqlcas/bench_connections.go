package main

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// Connections of a run.
const (
	spare = 2 // beyond one for each caller: a Store ends statements on a second one, and one may be about to close
	own   = 3 // of bench itself: to make and drop the database, to look around, and to check the rows
)

// checkConnections refuses a run that would need more connections than the server has left, for anybody or for this
// account: it would fail while it measures.
func (o *benchOptions) checkConnections(ctx context.Context, db *sql.DB) error {
	var all, mine, allOpen, mineOpen int
	var name string
	err := db.QueryRowContext(ctx, "SELECT @@max_connections, @@max_user_connections").Scan(&all, &mine)
	if err != nil {
		return err
	}
	err = db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Threads_connected'").Scan(&name, &allOpen)
	if err != nil {
		return err
	}
	if err := o.fits("the server", "max_connections", all, allOpen); err != nil || mine <= 0 {
		return err
	}
	// Without the PROCESS privilege the list has no other sessions than these anyway.
	err = db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.processlist "+
		"WHERE user = SUBSTRING_INDEX(CURRENT_USER(), '@', 1)").Scan(&mineOpen)
	if mysqlerr.NotText(err) { // nobody can count them while some session is at a statement with binary data
		return nil
	}
	if err != nil {
		return err
	}
	return o.fits("the account", "max_user_connections", mine, mineOpen)
}

// fits refuses what a limit does not leave room for.
func (o *benchOptions) fits(whose, variable string, limit, open int) error {
	left := max(limit-open, 0)
	wanted := o.processes*o.connections() + own
	if wanted <= left {
		return nil
	}
	return fmt.Errorf("the run makes up to %d connections, and %s has %d left (%s is %d, and %d are open): %s",
		wanted, whose, left, variable, limit, open, o.makeDo(left-own))
}

// connections is how many a process makes at most.
func (o *benchOptions) connections() int {
	most := 0
	for _, n := range o.callers {
		most = max(most, n)
	}
	return min(o.pool, most+spare)
}

// makeDo says what would do with so many connections for all processes together.
func (o *benchOptions) makeDo(left int) string {
	switch {
	case left/o.processes >= minPool:
		return fmt.Sprintf("give at most --pool %d, or fewer --processes or --callers", left/o.processes)
	case left >= minPool:
		return fmt.Sprintf("give at most --processes %d with --pool %d, or fewer --callers too", left/minPool, minPool)
	}
	return "raise it, or end some that are open"
}
