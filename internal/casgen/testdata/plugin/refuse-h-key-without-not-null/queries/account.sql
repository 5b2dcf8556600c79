-- name: ListVersions :many
SELECT version FROM account;
