-- name: RenameDevice :execrows
-- RenameDevice gives a device another label, if it is still at the version that was read.
-- @cas
UPDATE device
SET label = sqlc.arg(label), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: FreeSeatsForUpdate :many
-- FreeSeatsForUpdate locks free seats of an event for whoever books them.
-- @cas lock
SELECT event_id, row_no, seat_no, holder, version
FROM seat
WHERE event_id = sqlc.arg(event_id) AND holder IS NULL
ORDER BY event_id, row_no, seat_no
LIMIT 10
FOR UPDATE SKIP LOCKED;
