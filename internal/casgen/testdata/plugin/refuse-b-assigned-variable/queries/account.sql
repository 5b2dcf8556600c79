-- name: Deduct :execrows
UPDATE account SET balance = (@left := balance - ?), version = version + 1 WHERE id = ? AND version = ?;
