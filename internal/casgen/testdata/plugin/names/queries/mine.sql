-- name: SetMax :execrows
-- @cas
UPDATE `order-item` SET `max` = ?, `string` = ?, affected = ?, version = version + 1
WHERE `order` = ? AND `2nd no` = ? AND version = ?;

-- name: SetFullName :execrows
-- @cas
UPDATE Person SET FullName = ?, LockVersion = LockVersion + 1 WHERE PersonID = ? AND LockVersion = ?;

-- name: LockByName :many
-- @cas lock
SELECT PersonID, FullName, LockVersion FROM Person WHERE PersonID > ? AND PersonID < ? ORDER BY PersonID FOR UPDATE;
