-- name: DeductStock :execrows
-- DeductStock writes the new stock that the caller computed from the row it read; it does not
-- subtract anything. One row means that the product was still at Version and is now at Version+1.
-- No row means that somebody else wrote first, or that the product is gone: nothing was changed, so
-- read again and decide again.
-- @cas
UPDATE inventory
SET on_hand = sqlc.arg(on_hand), version = version + 1
WHERE product_id = sqlc.arg(product_id) AND version = sqlc.arg(version);

-- name: AddStock :execrows
-- AddStock is DeductStock under the name for goods that come in: OnHand is the new absolute stock,
-- and the row count is read in the same way.
-- @cas
UPDATE inventory
SET on_hand = sqlc.arg(on_hand), version = version + 1
WHERE product_id = sqlc.arg(product_id) AND version = sqlc.arg(version);

-- name: ListStock :many
-- ListStock reads every product in the order of ids, without locking any: what reconciliation
-- compares with the accepted order lines.
SELECT product_id, name, on_hand, version
FROM inventory
ORDER BY product_id;

-- name: SumStock :one
-- SumStock is the number of units in stock over all products, 0 when there are none.
SELECT CAST(COALESCE(SUM(on_hand), 0) AS SIGNED) AS total
FROM inventory;
