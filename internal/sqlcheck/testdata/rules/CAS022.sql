-- case: GET_LOCK
-- name: Q :one
SELECT GET_LOCK(?, 1) AS got; -- want

-- case: lower case, blank before the bracket, brackets around it
-- name: Q :one
SELECT (get_lock (sqlc.arg(name), 1)) AS got; -- want

-- case: RELEASE_LOCK
-- name: Q :one
SELECT RELEASE_LOCK(sqlc.arg(name)); -- want

-- case: IS_FREE_LOCK and IS_USED_LOCK
-- name: Q :one
SELECT IS_FREE_LOCK('a') AS free, -- want
  IS_USED_LOCK('a') AS used; -- want

-- case: CONNECTION_ID
-- name: Q :one
SELECT CONNECTION_ID(); -- want

-- case: compared, which leaves NULL as it is
-- name: Q :one
SELECT GET_LOCK('a', 1) = 1 AS got; -- want

-- case: the CAST is too far in
-- name: Q :one
SELECT COALESCE(CAST(GET_LOCK('a', 1) AS SIGNED), 0) AS got; -- want

-- case: beside columns
-- name: Q :many
SELECT id,
  IS_FREE_LOCK(owner) AS free -- want
FROM account;

-- case: CASE and subquery
-- name: Q :many
SELECT CASE WHEN id > 1 THEN
  GET_LOCK(owner, 1) -- want
  END AS a,
  (SELECT RELEASE_LOCK('b')) AS b -- want
FROM account;

-- case: in a derived table
-- name: Q :one
SELECT x.got FROM (
  SELECT GET_LOCK('a', 1) AS got -- want
) x;

-- case: CAST around it
-- name: Q :one
SELECT CAST(GET_LOCK(sqlc.arg(name), 1) AS SIGNED) AS got, CAST(COALESCE(RELEASE_LOCK('a'), -1) AS SIGNED) AS released;

-- case: CONVERT around it
-- name: Q :one
SELECT CONVERT(CONNECTION_ID(), SIGNED) AS id;

-- case: in WHERE
-- name: Q :many
SELECT id FROM account WHERE GET_LOCK(owner, 1) = 1 AND IS_USED_LOCK(owner) = CONNECTION_ID();

-- case: cannot be NULL when compared
-- name: Q :one
SELECT COALESCE(GET_LOCK('a', 1), 0) = 1 AS got, GET_LOCK('b', 1) <=> 1 AS too, IS_USED_LOCK('c') IS NULL AS free;

-- case: CONNECTION_ID compared
-- name: Q :one
SELECT id = CONNECTION_ID() AS mine FROM account WHERE id = ?;

-- case: strings and names
-- name: Q :one
SELECT 'GET_LOCK(1)' AS get_lock, title AS release_lock FROM document WHERE id = ?;

-- case: RELEASE_ALL_LOCKS is a small count
-- name: Q :one
SELECT RELEASE_ALL_LOCKS() AS n;

-- case: an argument of another function
-- name: Q :one
SELECT HEX(CONNECTION_ID()) AS id;

-- case: the outer query casts
-- name: Q :one
SELECT CAST(x.got AS SIGNED) AS got FROM (SELECT GET_LOCK('a', 1) AS got) x;

-- case: no result
-- name: Q :exec
INSERT INTO audit_log (at, message) SELECT NOW(6), CONNECTION_ID();

-- case: no query of sqlc
SELECT GET_LOCK('a', 1);
