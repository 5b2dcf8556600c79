-- name: FindOperations :many
-- FindOperations reads those of the operations that have been applied, in no order. It locks nothing, so that it sees
-- what is committed and, in a transaction, what its snapshot has.
SELECT id, target, fingerprint
FROM sqlcas_operation
WHERE id IN (sqlc.slice(ids));

-- name: LockOperation :one
-- LockOperation waits until nobody who is writing the operation's row is under way, and tells which try
-- has written it; sql.ErrNoRows if none has. The lock is not what it is for: run it outside of a transaction.
SELECT attempt
FROM sqlcas_operation
WHERE id = sqlc.arg(id)
FOR UPDATE;

-- name: ListOperationAges :many
-- ListOperationAges reads one page of all operations, in the order of their ids, from the one behind the given id
-- on, with their ages in microseconds by the server's clock.
SELECT id, CAST(TIMESTAMPDIFF(MICROSECOND, created_at, UTC_TIMESTAMP()) AS SIGNED) AS age
FROM sqlcas_operation
WHERE id > sqlc.arg(id)
ORDER BY id
LIMIT ?;

-- name: DeleteOperations :execrows
-- DeleteOperations deletes those of the named operations that are older than the age in microseconds: one that was
-- deleted and entered anew since it was listed stays. The index is forced because a server that scans a
-- small table instead would lock all of it.
DELETE o FROM sqlcas_operation AS o FORCE INDEX (PRIMARY)
WHERE o.id IN (sqlc.slice(ids))
  AND TIMESTAMPDIFF(MICROSECOND, o.created_at, UTC_TIMESTAMP()) > CAST(sqlc.arg(age) AS SIGNED);
