-- name: ListIDs :many
SELECT id FROM account;
