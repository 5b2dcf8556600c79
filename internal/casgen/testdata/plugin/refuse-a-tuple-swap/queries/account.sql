-- name: Deduct :execrows
-- @cas
UPDATE account SET balance = ?, version = version + 1 WHERE (id, version) = (?, ?);
