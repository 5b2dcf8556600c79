-- name: ListRich :many
SELECT id FROM account WHERE credit >= ?;
