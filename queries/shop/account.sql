-- name: DeductBalance :execrows
-- DeductBalance writes the new balance that the caller computed from the row it read; it does not
-- subtract anything. One row means that the account was still at Version and is now at Version+1.
-- No row means that somebody else wrote first, or that the account is gone: nothing was changed, so
-- read again and decide again. More cannot be: id is the primary key. The server itself moves
-- version, so that a caller has no new version to get wrong.
-- @cas
UPDATE account
SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: CreditBalance :execrows
-- CreditBalance is DeductBalance under the name for the other direction: Balance is the new
-- absolute balance, and the row count is read in the same way. A relative `balance = balance + ?`
-- would need no version for the sum alone, but it would check nothing that the caller decided from
-- the row, such as a limit.
-- @cas
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
