-- name: ListSome :many
SELECT id, owner FROM account WHERE id IN (sqlc.slice(ids));
