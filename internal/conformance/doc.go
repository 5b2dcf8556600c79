// Package conformance is the contract of the harnesses, run on real servers.
//
// A cell is one server in one mode: interpolateParams on or off, clientFoundRows on or off,
// REPEATABLE READ or READ COMMITTED, and on MariaDB 10.11 also with snapshot isolation as later
// versions have it by default. Each cell has a database of its own and runs every check of the
// suite, in sequence, since what is left behind by one (a connection in use, a row lock) is looked
// for before the next one starts. Cells run in parallel. At the end the run prints the grid of
// cells, and says which errors could be produced where; see them with
//
//	go test -v ./internal/conformance
//
// Beside the grid there are tests that need a mode of their own: closures that swallow a server's
// error, a hundred callers on one row, clusters that refuse a COMMIT, proxies that count rows
// their own way. A number in brackets, as in "(case 25)", is that of the public bug report the
// test came from, in the project's list of optimistic locking cases.
//
// Nothing here sleeps for luck: who must come second waits at a barrier, or until the server
// itself says that the other one waits for a lock.
//
// All of it is test code. A strategy that comes later adds its checks to the suite's list, or
// calls it with an environment of its own.
package conformance
