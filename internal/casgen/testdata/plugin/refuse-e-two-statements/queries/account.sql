-- name: GetOwner :one
SELECT owner FROM account WHERE id = ?;
SELECT balance FROM account WHERE id = ?;
