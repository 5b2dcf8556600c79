-- name: SumBalances :one
SELECT SUM(balance) AS total FROM account;
