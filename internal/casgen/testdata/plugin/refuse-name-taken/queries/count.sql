-- name: TouchStockOrConflict :execrows
UPDATE inventory SET on_hand = on_hand + 1, version = version + 1 WHERE product_id = ? AND version = ?;

-- name: Deduct :execrows
-- @cas
UPDATE inventory SET on_hand = ?, version = version + 1 WHERE product_id = ? AND version = ?;

-- name: DeductOrConflict :one
SELECT COUNT(*) FROM inventory;
