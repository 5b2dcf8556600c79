-- name: SetPrice :execrows
-- @cas
UPDATE parcel SET price = ?, fee = ?, version = version + 1 WHERE sender = ? AND no = ? AND version = ?;
