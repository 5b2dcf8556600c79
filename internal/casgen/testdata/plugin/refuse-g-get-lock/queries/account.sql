-- name: GetLock :one
SELECT GET_LOCK(?, ?) AS got;
