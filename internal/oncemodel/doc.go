// Package oncemodel proves on a model that a batch of operation ids is applied exactly once.
//
// It tries everything that two clients and their server can do, in any order, with at most so many faults, and
// holds every state that can be reached to the promises. There is no server behind it, and nothing is left to
// chance or to timing; what it takes a server to do is written below. Run it by
//
//	go test -v ./internal/oncemodel
//
// which also prints the number of states of each scenario, and the shortest run that each flaw leads to.
//
// # What is modelled
//
// Two processes each run one batch of ids, on one row or, by mistake, on two. An attempt is: read the row, plainly
// or FOR UPDATE; read the ids, plainly (in other scenarios they are read first, before the transaction begins);
// run the closures of those that are new; swap the row by its version; insert the new ids, each with a token of
// this attempt; COMMIT. A conflict, a duplicate entry, a deadlock, a wait that is too long or a connection lost
// before COMMIT was sent lead to another attempt, in a new transaction, or else the caller has had enough. If
// COMMIT is not answered, its session is killed from another connection, and then the ids are looked up by a
// locking read: they are this attempt's, or there is another attempt. If nobody can be asked, the answer is
// "unknown", and the caller may run the ids again.
//
// What goes wrong: a process or the server is killed at any moment, and comes back; a connection is cut while the
// server does not notice; a COMMIT on its way is lost, or arrives much later, after its process has asked, been
// answered or died; the answer to a COMMIT is lost; nobody can be asked. A process that was answered may be
// killed too: its caller did not hear the answer, and runs the ids again.
//
// The server: the lock of a row and that of an inserted id are held to the end of the transaction. An UPDATE
// compares with the latest committed version, whatever the snapshot. A plain read sees the snapshot, which the
// first plain read takes, or what is committed under READ COMMITTED. An insert waits for whoever has inserted
// the id, and fails only on a committed one. Of two transactions that wait for each other one is rolled back. A
// KILL is answered before the transaction has ended. It undoes no COMMIT that has begun, and makes void one that
// has not reached the server.
//
// # What is promised
//
// Answers, from the moment on in which they are given: "applied" of an id that is there, inserted by this call,
// and to one caller of an id at most, over all calls; "replayed" of one that is there, inserted by another call;
// "not applied" of an id that this call has not inserted and never will have; "unknown" only if nobody could be
// asked. The books, whenever nothing is bound to happen any more: each id that is there is in its row's balance
// once, no other is, and the version counts them. And there is no state in which a process has not answered and
// nothing that is bound to happen lets it go on.
//
// # What is not modelled
//
// A server that fails over to one that lacks commits, or that does not keep what it has committed (MySQL's
// innodb_flush_log_at_trx_commit other than 1). Session numbers that are given again. Gap locks; a look-up that
// holds some of its locks while it waits for others. A statement other than COMMIT that arrives late: it can take
// locks and commit nothing. A snapshot check (MariaDB's error 1020) is a conflict here. A duplicate entry is
// always of a committed id: one whose transaction may yet roll back is waited for, so that it cannot be taken
// for success too early. Refusals, fingerprints and the clean-up of old ids are not in it.
//
// # What the flaws teach
//
// With the ids in the row's transaction, a flaw in the look-up applies nothing twice: it gives false answers, and
// a caller who believes a false "not applied" pays again under another id. Without the KILL the locking read
// waits for a session that the server may keep for hours: the wait makes the look-up true, and the KILL makes it
// short. On one row that is read before the ids no duplicate entry is ever met, since the version comes first.
// Where the ids are read first, or are shared between rows, it is all that keeps an id from being applied twice.
package oncemodel
