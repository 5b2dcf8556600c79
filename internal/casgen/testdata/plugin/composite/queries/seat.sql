-- name: Release :execrows
-- @cas
UPDATE seats SET state = 'free', lock_version = lock_version + 1
WHERE flight = ? AND seat = ? AND code = ? AND day = ? AND lock_version = ?;
