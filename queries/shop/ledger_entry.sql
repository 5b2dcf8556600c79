-- name: InsertLedgerEntry :exec
-- InsertLedgerEntry records one movement of an account. Call it in the transaction that moves the
-- balance, after DeductBalance or CreditBalance returned one row: the other way round concurrent
-- writers deadlock on the foreign key. An account that does not exist is error 1452.
INSERT INTO ledger_entry (account_id, amount, memo)
VALUES (sqlc.arg(account_id), sqlc.arg(amount), sqlc.arg(memo));

-- name: ListLedgerEntries :many
-- ListLedgerEntries reads one account's movements, oldest id first. It leaves created_at out, so
-- that it works with and without parseTime in the DSN.
SELECT id, account_id, amount, memo
FROM ledger_entry
WHERE account_id = sqlc.arg(account_id)
ORDER BY id;

-- name: SumLedger :one
-- SumLedger adds up one account's movements, 0 when there are none: the balance now less the
-- balance at the start.
SELECT CAST(COALESCE(SUM(amount), 0) AS SIGNED) AS total
FROM ledger_entry
WHERE account_id = sqlc.arg(account_id);
