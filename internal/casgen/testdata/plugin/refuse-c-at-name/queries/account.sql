-- name: GetOwner :one
SELECT owner FROM account WHERE id = @id;
