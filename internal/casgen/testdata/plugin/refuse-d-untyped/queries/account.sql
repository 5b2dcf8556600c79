-- name: Next :one
SELECT sqlc.arg(v) + 1 AS next FROM account WHERE id = ?;
