package sqlcheck

// writeRules are the rules about statements that change rows of a versioned table.
var writeRules = []Rule{
	{
		ID:    "CAS001",
		Title: "unversioned write",
		Why: "The statement changes or deletes rows of a versioned table whatever version they are at. What another writer " +
			"has written since the row was read is overwritten, and nobody is told. Only a comparison by = that is joined to the " +
			"rest of WHERE by AND is a check: version >= ?, version IN (...) and version <=> ? let other versions pass, and so " +
			"does a comparison below OR or NOT.",
		Mend: "Compare the version that was read (AND version = ?), and treat 0 affected rows as a conflict. A write that is " +
			"meant for all versions, such as a backfill, says why in a comment: -- sqlcas:allow CAS001 reason.",
		Bad: `-- name: SetBalance :execrows
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id);`,
		Good: `-- name: SetBalance :execrows
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkUnversioned,
	},
	{
		ID:    "CAS002",
		Title: "version not moved",
		Why: "The UPDATE changes a row and leaves its version as it was. Whoever has read the row before still matches, and " +
			"overwrites the change: the lost update that the version is there to prevent. If nothing else changes either, MySQL " +
			"also counts 0 affected rows, which looks like a conflict.",
		Mend: "Add version = version + 1 to SET, in every UPDATE of the table.",
		Bad: `-- name: SetBalance :execrows
UPDATE account
SET balance = sqlc.arg(balance)
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Good: `-- name: SetBalance :execrows
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkUnmoved,
	},
	{
		ID:    "CAS003",
		Title: "absolute version",
		Why: "The version is set to a value that does not come from the row's own version. It can move back or come to a value " +
			"that it had before, and then a reader of that old state matches again. With sqlc the new version and the expected one " +
			"are two fields of one type besides (Version and Version_2): exchanged by mistake, they compile.",
		Mend: "Let the server count: version = version + 1, or version + ? for several steps.",
		Bad: `-- name: SetBalance :execrows
UPDATE account
SET balance = ?, version = ?
WHERE id = ? AND version = ?;`,
		Good: `-- name: SetBalance :execrows
UPDATE account
SET balance = ?, version = version + 1
WHERE id = ? AND version = ?;`,
		Lang:      "sql",
		statement: checkAbsolute,
	},
	{
		ID:    "CAS004",
		Title: "row count ignored",
		Why: "The number of affected rows is the only thing that says whether a compare-and-swap has happened: 0 is a conflict and " +
			"no error. A query that is not :execrows or :execresult does not give it to the caller, so that a write which was " +
			"not carried out looks like one that was.",
		Mend: "Make the query :execrows, and pass the count on: optimistic.One(q.DeductBalance(...)) turns 0 into ErrConflict.",
		Bad: `-- name: DeductBalance :exec
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Good: `-- name: DeductBalance :execrows
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkCountIgnored,
	},
	{
		ID:    "CAS005",
		Title: "tuple comparison",
		Why: "sqlc loses the parameters of a comparison of rows, (a, b) = (?, ?) or (a, b) IN ((?, ?)): it generates a method " +
			"without them, and the server refuses its statement. Where the parameters get through, a list of keys and versions " +
			"changes those rows that match and leaves the others: the count says how many were stale and not which.",
		Mend: "Compare column by column: id = ? AND version = ?. Change several rows by one statement each, in one transaction.",
		Bad: `-- name: DeleteAccount :execrows
DELETE FROM account
WHERE (id, version) = (sqlc.arg(id), sqlc.arg(version));`,
		Good: `-- name: DeleteAccount :execrows
DELETE FROM account
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkTuple,
	},
	{
		ID:    "CAS011",
		Title: "upsert on a versioned table",
		Why: "REPLACE deletes the row that is there and begins again at version 1; ON DUPLICATE KEY UPDATE changes it without a look " +
			"at its version. Both overwrite what another writer has just written. The affected rows do not tell either: 1 is an " +
			"insert, 2 an update, 0 no change, and with clientFoundRows 1 is no change as well.",
		Mend: "Insert, and on the duplicate key error (1062) read the row and swap it. If the row only has to exist, assign a column " +
			"to itself: ON DUPLICATE KEY UPDATE id = id.",
		Bad: `-- name: PutAccount :execrows
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE balance = VALUES(balance), version = version + 1;`,
		Good: `-- name: EnsureAccount :execrows
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE id = id;`,
		Lang:      "sql",
		statement: checkUpsert,
	},
	{
		ID:    "CAS016",
		Title: "key changed",
		Why: "The UPDATE gives a versioned row another primary key. Who has read it under the old one finds it gone instead of " +
			"changed, and a row that comes to a used key has another row's history of versions: an old reader of that one may match.",
		Mend: "Leave the key alone. Insert a new row and delete the old one by a compare-and-swap, in one transaction.",
		Bad: `-- name: RenumberAccount :execrows
UPDATE account
SET id = sqlc.arg(new_id), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Good: `-- name: RenameAccount :execrows
UPDATE account
SET owner = sqlc.arg(owner), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkKeyChanged,
	},
	{
		ID:    "CAS017",
		Title: "guarded compare-and-swap",
		Why: "A query that is marked @cas is one that names a row by its whole key and its version, so that 0 affected rows mean a " +
			"conflict and the caller reads again and retries. With a further condition 0 rows can also mean that the condition does " +
			"not hold, and it is retried for nothing until it gives up. With a part of the key only, several rows may be changed.",
		Mend: "Decide in Go from the row that was read, and compare nothing but key and version; or drop @cas, and tell the two " +
			"outcomes apart yourself.",
		Bad: `-- name: DeductBalance :execrows
-- @cas
UPDATE account
SET balance = balance - sqlc.arg(amount), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version)
  AND balance >= 100;`,
		Good: `-- name: DeductBalance :execrows
-- @cas
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkGuarded,
	},
	{
		ID:    "CAS018",
		Title: "version that starts wrong",
		Why: "A row begins at version 1, so that a Go value whose version is 0 was never read. NULL never compares equal: every swap " +
			"of the row is a conflict. A row that begins elsewhere makes a deleted and a new row of one key look alike, and " +
			"whatever counts writes from the version is off.",
		Mend: "Leave the version column out of the INSERT: its DEFAULT is 1.",
		Bad: `-- name: CreateAccount :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, ?, 0);`,
		Good: `-- name: CreateAccount :execlastid
INSERT INTO account (owner, balance) VALUES (?, ?);`,
		Lang:      "sql",
		statement: checkStart,
	},
	{
		ID:    "CAS031",
		Title: "swap that names no row",
		Why: "Every row begins at version 1, and versions are no keys: many rows are at the same one. An UPDATE or DELETE that " +
			"compares the version, but not the whole key, writes every row of the part of the key that happens to be at that " +
			"version, with values that were computed from one of them.",
		Mend: "Compare every column of the primary key, or of a unique key, as well.",
		Bad: `-- name: MoveLine :execrows
UPDATE order_line
SET quantity = sqlc.arg(quantity), version = version + 1
WHERE order_id = sqlc.arg(order_id) AND version = sqlc.arg(version);`,
		Good: `-- name: MoveLine :execrows
UPDATE order_line
SET quantity = sqlc.arg(quantity), version = version + 1
WHERE order_id = sqlc.arg(order_id) AND line_no = sqlc.arg(line_no) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkNamesRow,
	},
}
