-- name: GetOwner :one
SELECT owner FROM account WHERE id = ?;

-- name: Begin :exec
START TRANSACTION;
