-- case: CRC32
-- name: Q :one
SELECT CRC32(title) AS sum FROM document WHERE id = ?; -- want

-- case: INET_ATON
-- name: Q :one
SELECT INET_ATON(sqlc.arg(address)) AS address; -- want

-- case: UUID_SHORT
-- name: Q :one
SELECT UUID_SHORT() AS id; -- want

-- case: brackets, case and a blank
-- name: Q :many
SELECT id,
  ((crc32 (owner))) AS sum -- want
FROM account;

-- case: something added
-- name: Q :many
SELECT CRC32(owner) + 1 AS sum FROM account; -- want

-- case: the CAST is too far in
-- name: Q :many
SELECT COALESCE(CAST(CRC32(owner) AS UNSIGNED), 0) AS sum FROM account; -- want

-- case: IF and CASE
-- name: Q :many
SELECT IF(id > 1, CRC32(owner), 0) AS a, -- want
  CASE id WHEN 1 THEN CRC32(owner) END AS b -- want
FROM account;

-- case: in a derived table
-- name: Q :many
SELECT x.sum FROM (
  SELECT CRC32(owner) AS sum FROM account -- want
) AS x;

-- case: in a subquery
-- name: Q :many
SELECT id,
  (SELECT CRC32(memo) FROM ledger_entry WHERE account_id = account.id LIMIT 1) AS sum -- want
FROM account;

-- case: CAST around it
-- name: Q :one
SELECT CAST(CRC32(title) AS UNSIGNED) AS a, CONVERT(INET_ATON('10.0.0.1'), UNSIGNED) AS b FROM document WHERE id = ?;

-- case: in WHERE and ORDER BY
-- name: Q :many
SELECT id FROM account WHERE CRC32(owner) % 4 = ? ORDER BY CRC32(owner);

-- case: an argument of another function
-- name: Q :one
SELECT HEX(CRC32(title)) AS sum FROM document WHERE id = ?;

-- case: compared
-- name: Q :one
SELECT CRC32(title) = 1 AS same FROM document WHERE id = ?;

-- case: signed functions
-- name: Q :one
SELECT LENGTH(title) AS a, BIT_COUNT(id) AS b, LAST_INSERT_ID() AS c, MD5(title) AS d FROM document WHERE id = ?;

-- case: strings and names
-- name: Q :one
SELECT 'CRC32(x)' AS crc32, title AS inet_aton /* CRC32(title) */ FROM document WHERE id = ?;

-- case: written, not selected
-- name: Q :exec
INSERT INTO audit_log (at, message) SELECT NOW(6), CRC32(title) FROM document;

-- case: the outer query casts
-- name: Q :many
SELECT CAST(x.sum AS UNSIGNED) AS sum FROM (SELECT CRC32(owner) AS sum FROM account) AS x;

-- case: no query of sqlc
SELECT CRC32(title) FROM document;
