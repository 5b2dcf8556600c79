-- name: FindOwner :many
SELECT id FROM account WHERE owner = sqlc.arg(find_owner);

-- name: Owner :many
SELECT id FROM account WHERE owner = ?;

-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(text);

-- name: Arg :many
SELECT id FROM account WHERE owner = sqlc.arg(text) AND balance = sqlc.arg(amount);

-- name: Found :many
SELECT id FROM account WHERE owner = sqlc.arg(find_owner);
