-- name: Shard :one
SELECT CRC32(owner) AS shard FROM account WHERE id = ?;
