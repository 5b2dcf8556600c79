-- name: Rename :execrows
-- @cas swop Account
UPDATE account SET owner = ?, version = version + 1 WHERE id = ? AND version = ?;

-- name: GetGone :one
-- @cas get Gone
SELECT owner FROM account WHERE id = ?;

-- name: LockNothing :one
-- @cas lock
SELECT owner FROM account WHERE id = ?;

-- name: InsertOne :execrows
-- @cas
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?);
