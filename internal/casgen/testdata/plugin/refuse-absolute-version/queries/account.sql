-- name: Deduct :execrows
-- @cas
UPDATE account SET balance = ?, version = sqlc.arg(new_version) WHERE id = ? AND version = ?;
