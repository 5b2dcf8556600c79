-- name: GetUnchanged :one
SELECT owner FROM account WHERE (id, version) = (?, ?);
