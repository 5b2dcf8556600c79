-- name: Deduct :execrows
-- @cas
UPDATE account SET balance = balance - sqlc.arg(amount), version = version + 1
WHERE id = ? AND version = ? AND balance >= sqlc.arg(amount);
