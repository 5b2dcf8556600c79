-- case: RETURNING of a DELETE
-- name: Q :one
DELETE FROM account WHERE id = ? AND version = ? RETURNING balance; -- want

-- case: RETURNING of an INSERT
-- name: Q :one
INSERT INTO account (owner, balance) VALUES (?, ?) RETURNING id; -- want

-- case: FOR SYSTEM_TIME
-- name: Q :many
SELECT balance FROM account FOR SYSTEM_TIME ALL WHERE id = ?; -- want

-- case: in backquotes and in another case
-- name: Q :one
DELETE FROM `Account` WHERE id = 1 RETURNING id; -- want

-- case: a reserved word in backquotes
-- name: Q :one
DELETE FROM `order` WHERE id = 1 RETURNING id; -- want

-- case: behind a database
-- name: Q :one
DELETE FROM shop.inventory WHERE product_id = 1 RETURNING on_hand; -- want

-- case: a misspelt statement
-- name: Q :execrows
UPDATE account SET balance = ? WHER id = ?; -- want

-- case: the versioned table is the second
-- name: Q :many
SELECT 1 FROM job JOIN
  order_line FOR SYSTEM_TIME ALL; -- want

-- case: no query of sqlc
DELETE FROM account WHERE id = 1 RETURNING id; -- want

-- case: in an executable comment
-- name: Q :one
DELETE FROM /*! account */ WHERE id = 1 RETURNING id; -- want

-- case: a table without a version
-- name: Q :one
DELETE FROM job WHERE id = ? RETURNING worker;

-- case: a column called version, a table without one
-- name: Q :one
DELETE FROM document WHERE id = ? AND version = ? RETURNING title;

-- case: a table that the catalogue does not know
-- name: Q :one
DELETE FROM supplier WHERE id = ? RETURNING id;

-- case: the table is in a string
-- name: Q :one
INSERT INTO audit_log (at, message) VALUES (NOW(6), 'account') RETURNING message;

-- case: the table is in a comment
-- name: Q :one
DELETE FROM job WHERE id = ? /* account */ RETURNING worker;

-- case: the table is a part of a word
-- name: Q :one
DELETE FROM my_account WHERE id = ? RETURNING account_id;

-- case: the parser knows it
-- name: Q :many
SELECT id FROM account WHERE id = ? FOR UPDATE SKIP LOCKED;

-- case: a reserved word as an argument's name
-- name: Q :many
SELECT id FROM account WHERE version < sqlc.arg(before);

-- case: INSERT ... AS new
-- name: Q :exec
INSERT INTO account (owner, balance) VALUES (?, ?) AS new;

-- case: RETURNING of a comment
-- name: Q :execrows
-- RETURNING would be nice.
DELETE FROM account WHERE id = ? AND version = ? /* RETURNING id */;
