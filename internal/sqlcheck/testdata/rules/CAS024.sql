-- case: equal
-- name: Q :many
SELECT id FROM customer WHERE phone = ?; -- want

-- case: at least, the parameter first
-- name: Q :many
SELECT id FROM customer WHERE
  sqlc.arg(credit) <= credit; -- want

-- case: by alias and in brackets
-- name: Q :many
SELECT c.id FROM customer AS c JOIN account a ON a.id = c.id WHERE a.balance > ? AND
  (c.credit > (?)); -- want

-- case: BETWEEN
-- name: Q :many
SELECT id FROM customer WHERE credit BETWEEN
  ? -- want
  AND 10;

-- case: IN and a slice
-- name: Q :many
SELECT id FROM customer WHERE phone IN (?) -- want
  OR phone IN (sqlc.slice('phones')); -- want

-- case: a guard of an UPDATE
-- name: Q :execrows
UPDATE customer SET credit = ?, lock_version = lock_version + 1 WHERE id = ? AND lock_version = ?
  AND credit >= sqlc.arg(amount); -- want

-- case: within COALESCE, which sqlc looks through
-- name: Q :many
SELECT id FROM customer WHERE
  COALESCE(credit, 0) > ?; -- want

-- case: computed
-- name: Q :many
SELECT id FROM customer WHERE
  credit - ? > 0; -- want

-- case: DELETE, LIKE and another case
-- name: Q :execrows
DELETE FROM order_line WHERE order_id = ? AND line_no = ? AND version = ?
  AND NOTE LIKE ?; -- want

-- case: in a subquery
-- name: Q :many
SELECT id FROM account WHERE id IN (SELECT tenant_id FROM customer
  WHERE deleted_at < sqlc.arg(before)); -- want

-- case: a column that is NOT NULL
-- name: Q :many
SELECT id FROM customer WHERE email = ? AND vip = ? AND tenant_id BETWEEN ? AND ?;

-- case: NULL is meant
-- name: Q :many
SELECT id FROM customer WHERE phone <=> ? AND credit > sqlc.narg(credit) AND deleted_at IS NULL;

-- case: written, not compared
-- name: Q :execrows
UPDATE customer SET credit = sqlc.arg(credit), phone = ?, lock_version = lock_version + 1 WHERE id = ? AND lock_version = ?;

-- case: CAST
-- name: Q :many
SELECT id FROM customer WHERE credit >= CAST(sqlc.arg(credit) AS SIGNED);

-- case: with a literal and a column
-- name: Q :many
SELECT id FROM customer WHERE credit > 10 AND phone = email AND id = ?;

-- case: a column of that name in another table
-- name: Q :many
SELECT a.id FROM account a WHERE a.owner = ? AND EXISTS (SELECT 1 FROM customer c WHERE c.phone = a.owner);

-- case: a table that the catalogue does not know
-- name: Q :many
SELECT id FROM supplier WHERE phone = ? AND credit > ?;

-- case: the column that is not nullable gives the type
-- name: Q :many
SELECT id FROM customer WHERE tenant_id + credit > ?;

-- case: inserted
-- name: Q :exec
INSERT INTO customer (tenant_id, email, phone) VALUES (?, ?, ?);

-- case: a string and a comment
-- name: Q :many
SELECT id FROM customer WHERE email = 'phone = ?' /* phone = ? */ AND id = ?;

-- case: selected
-- name: Q :many
SELECT credit > ? AS rich FROM customer;

-- case: no query of sqlc
SELECT id FROM customer WHERE phone = ?;
