-- name: CreateStock :exec
-- CreateStock enters a product at version 1. A product that is already there is error 1062, never
-- an overwrite: an upsert would replace the stock without looking at its version.
INSERT INTO inventory (product_id, name, on_hand)
VALUES (sqlc.arg(product_id), sqlc.arg(name), sqlc.arg(on_hand));

-- name: GetStock :one
-- GetStock reads a product without locking it, sql.ErrNoRows if there is none. Its Version is what
-- DeductStock and AddStock want back.
SELECT product_id, name, on_hand, version
FROM inventory
WHERE product_id = sqlc.arg(product_id);

-- name: GetStockForUpdate :one
-- GetStockForUpdate reads a product and locks its row until the transaction ends, waiting up to
-- innodb_lock_wait_timeout for whoever holds it. Outside a transaction the lock is gone before the
-- call returns.
SELECT product_id, name, on_hand, version
FROM inventory
WHERE product_id = sqlc.arg(product_id)
FOR UPDATE;

-- name: GetStockForUpdateNoWait :one
-- GetStockForUpdateNoWait is GetStockForUpdate that fails at once when the row is locked: error
-- 3572 on MySQL, 1205 on MariaDB.
SELECT product_id, name, on_hand, version
FROM inventory
WHERE product_id = sqlc.arg(product_id)
FOR UPDATE NOWAIT;

-- name: DeductStock :execrows
-- DeductStock writes the new stock that the caller computed from the row it read; it does not
-- subtract anything. One row means that the product was still at Version and is now at Version+1.
-- No row means that somebody else wrote first, or that the product is gone: nothing was changed, so
-- read again and decide again.
UPDATE inventory
SET on_hand = sqlc.arg(on_hand), version = version + 1
WHERE product_id = sqlc.arg(product_id) AND version = sqlc.arg(version);

-- name: AddStock :execrows
-- AddStock is DeductStock under the name for goods that come in: OnHand is the new absolute stock,
-- and the row count is read in the same way.
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

-- name: GetStockForUpdateSkipLocked :one
-- GetStockForUpdateSkipLocked is GetStockForUpdate that returns sql.ErrNoRows for a row that is locked, as
-- for one that is not there.
SELECT product_id, name, on_hand, version
FROM inventory
WHERE product_id = sqlc.arg(product_id)
FOR UPDATE SKIP LOCKED;

-- name: SwapStock :execrows
-- SwapStock writes all columns of a product that is still at Version, and moves the version by Steps.
-- Its row count is read as DeductStock's.
UPDATE inventory
SET name = sqlc.arg(name), on_hand = sqlc.arg(on_hand), version = version + sqlc.arg(steps)
WHERE product_id = sqlc.arg(product_id) AND version = sqlc.arg(version);

-- name: DeleteStock :execrows
-- DeleteStock deletes a product that is still at Version.
DELETE FROM inventory
WHERE product_id = sqlc.arg(product_id) AND version = sqlc.arg(version);
