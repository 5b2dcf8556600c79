-- name: Release :execrows
-- @cas
UPDATE seats SET state = 'free', lock_version = lock_version + 1
WHERE flight = ? AND seat = ? AND code = ? AND day = ? AND lock_version = ?;

-- name: LockFree :many
-- @cas lock
SELECT flight, seat, state FROM seats WHERE flight = ? AND day BETWEEN ? AND ? ORDER BY flight, seat, code, day FOR UPDATE;

-- name: LockFirst :one
-- @cas lock
SELECT * FROM seats WHERE flight = ? ORDER BY flight, seat, code, day LIMIT 1 FOR UPDATE;
