// Package conformance is the contracts of the harnesses and of the Stores, run on real servers.
//
// A cell is one server in one mode: interpolateParams on or off, clientFoundRows on or off,
// REPEATABLE READ or READ COMMITTED, and on MariaDB 10.11 also with snapshot isolation as later
// versions have it by default. Each cell has a database of its own and runs every check of the
// suites, in sequence, since what is left behind by one (a connection in use, a row lock) is looked
// for before the next one starts. Cells run in parallel. At the end the run prints a grid of
// cells per contract, and says which errors could be produced where; see them with
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
// The contract of the Stores, in the files that start with store, is written against the methods that
// all Stores share. It is held against each entry of strategies; one that comes later is one entry more,
// with what its clauses have to know of it: whether closures run while their row is locked, and whether
// the swap of one row commits itself. That the contract can be failed is shown by Stores with planted
// bugs. All of it is test code.
package conformance
