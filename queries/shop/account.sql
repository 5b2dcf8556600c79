-- name: CreateAccount :execlastid
-- CreateAccount opens an account at version 1 and returns its id. database/sql gives generated ids
-- as int64; convert it to the uint64 that the other queries take.
INSERT INTO account (owner, balance)
VALUES (sqlc.arg(owner), sqlc.arg(balance));

-- name: GetAccount :one
-- GetAccount reads an account without locking it, sql.ErrNoRows if there is none. Its Version is
-- what DeductBalance and CreditBalance want back.
SELECT id, owner, balance, version
FROM account
WHERE id = sqlc.arg(id);

-- name: GetAccountForUpdate :one
-- GetAccountForUpdate reads an account and locks its row until the transaction ends; another
-- locking reader or writer waits. Outside a transaction the lock is gone before the call returns.
-- Make it the transaction's first statement: a plain read before it fixes an older snapshot for the
-- plain reads that follow.
SELECT id, owner, balance, version
FROM account
WHERE id = sqlc.arg(id)
FOR UPDATE;

-- name: DeductBalance :execrows
-- DeductBalance writes the new balance that the caller computed from the row it read; it does not
-- subtract anything. One row means that the account was still at Version and is now at Version+1.
-- No row means that somebody else wrote first, or that the account is gone: nothing was changed, so
-- read again and decide again. More cannot be: id is the primary key. The server itself moves
-- version, so that a caller has no new version to get wrong.
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: CreditBalance :execrows
-- CreditBalance is DeductBalance under the name for the other direction: Balance is the new
-- absolute balance, and the row count is read in the same way. A relative `balance = balance + ?`
-- would need no version for the sum alone, but it would check nothing that the caller decided from
-- the row, such as a limit.
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: ListAccounts :many
-- ListAccounts reads every account in the order of ids, without locking any.
SELECT id, owner, balance, version
FROM account
ORDER BY id;

-- name: SumBalances :one
-- SumBalances is the money in all accounts, 0 when there are none: transfers must not change it.
-- The sum has to fit into an int64; past that the server clamps it and only warns.
SELECT CAST(COALESCE(SUM(balance), 0) AS SIGNED) AS total
FROM account;

-- name: GetAccountForUpdateNoWait :one
-- GetAccountForUpdateNoWait is GetAccountForUpdate that fails at once when the row is locked: error
-- 3572 on MySQL, 1205 on MariaDB.
SELECT id, owner, balance, version
FROM account
WHERE id = sqlc.arg(id)
FOR UPDATE NOWAIT;

-- name: GetAccountForUpdateSkipLocked :one
-- GetAccountForUpdateSkipLocked is GetAccountForUpdate that returns sql.ErrNoRows for a row that is
-- locked, as for one that is not there.
SELECT id, owner, balance, version
FROM account
WHERE id = sqlc.arg(id)
FOR UPDATE SKIP LOCKED;

-- name: SwapAccount :execrows
-- SwapAccount writes all columns of an account that is still at Version, and moves the version by
-- Steps. Its row count is read as DeductBalance's.
UPDATE account
SET owner = sqlc.arg(owner), balance = sqlc.arg(balance), version = version + sqlc.arg(steps)
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: DeleteAccount :execrows
-- DeleteAccount deletes an account that is still at Version. One that has ledger entries is error
-- 1451.
DELETE FROM account
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);
