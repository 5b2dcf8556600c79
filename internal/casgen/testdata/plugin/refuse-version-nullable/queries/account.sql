-- name: GetAccount :one
-- @cas get Account
SELECT id, version FROM account WHERE id = ?;
