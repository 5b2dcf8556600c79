-- name: DeductBalance :execrows
-- DeductBalance writes a new balance.
--
-- @cas
UPDATE account
SET balance = ?, version = version + 1
WHERE id = ? AND version = ?;

-- name: CloseAccount :execrows
-- @cas
DELETE FROM account WHERE id = sqlc.arg(id) AND version = sqlc.arg(seen_version);

-- name: LockAccountsOf :many
-- @cas lock
SELECT id, owner, balance, version FROM account WHERE owner = sqlc.arg(owner) ORDER BY id FOR UPDATE;

-- name: LockBalance :one
-- @cas lock
SELECT balance FROM account WHERE id = ? FOR UPDATE;

-- name: LockSome :many
-- @cas lock
SELECT id, owner FROM account WHERE id IN (sqlc.slice(ids)) AND owner = sqlc.arg(owner) ORDER BY id FOR UPDATE SKIP LOCKED;

-- name: ListAccounts :many
SELECT * FROM account ORDER BY id;

-- name: Mark :execrows
-- @cas
UPDATE account SET balance = IF(id > ?, 1, 0), version = version + 1 WHERE id = ? AND version = ?;

-- name: MarkNamed :execrows
-- @cas
UPDATE account SET balance = IF(id > sqlc.arg(id), 1, 0), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: LockAccountOfEntry :one
-- @cas lock
SELECT a.id, a.owner, a.balance, a.version
FROM ledger_entry l LEFT JOIN account a ON a.id = l.account_id
WHERE l.id = ? FOR UPDATE;

-- name: LockBalanceOfEntry :one
-- @cas lock
SELECT a.balance FROM ledger_entry l LEFT JOIN account a ON a.id = l.account_id WHERE l.id = ? FOR UPDATE;
