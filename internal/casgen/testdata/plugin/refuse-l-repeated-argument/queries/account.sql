-- name: Search :many
SELECT id FROM account WHERE owner = sqlc.arg(text) OR owner LIKE sqlc.arg(text);
