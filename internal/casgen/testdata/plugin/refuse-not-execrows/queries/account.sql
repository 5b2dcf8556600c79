-- name: Deduct :exec
-- @cas
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;
