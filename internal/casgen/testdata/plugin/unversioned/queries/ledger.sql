-- name: SumLedger :one
SELECT CAST(COALESCE(SUM(amount), 0) AS SIGNED) AS total FROM ledger_entry WHERE account_id = ?;
