// Package scriptdb is a database/sql driver without a database: a function answers every statement.
//
// It is for tests of what no real server does on demand: a Rows.Close that fails, a COMMIT that is
// never answered, a driver that lacks half of the optional interfaces, a ROLLBACK refused with 1213.
// Shop is the other use: the example domain in memory, so that runnable examples need no server;
// LockingShop also plays its row locks.
// It imports the standard library alone, and only tests import it.
package scriptdb
