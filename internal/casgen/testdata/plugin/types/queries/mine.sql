-- name: SetTemper :execrows
-- @cas
UPDATE latter SET temper = ?, version = version + 1 WHERE stage = ? AND version = ?;

-- name: SetLabels :execrows
-- @cas
UPDATE copy SET labels = ?, version = version + 1 WHERE id = ? AND state = ? AND version = ?;

-- name: LockShifts :many
-- @cas lock
SELECT * FROM shift WHERE id > ? ORDER BY id FOR UPDATE;

-- name: Starts :many
SELECT id FROM shift WHERE starts = sqlc.arg(arg_starts);
