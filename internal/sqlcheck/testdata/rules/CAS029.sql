-- case: nothing to allow
-- name: Q :many
-- sqlcas:allow CAS001 it only reads -- want
SELECT id FROM account WHERE id = ?;

-- case: no reason
-- name: Q :execrows
-- sqlcas:allow CAS001 -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- case: no rule
-- name: Q :many
-- sqlcas:allow -- want
SELECT id FROM account WHERE id = ?;

-- case: a rule that does not exist
-- name: Q :execrows
/* sqlcas:allow CAS999 nobody knows it */ -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- case: a reason in the place of the rule
-- name: Q :execrows
# sqlcas:allow because I say so -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- case: one of two is not needed
-- name: Q :execrows
-- sqlcas:allow CAS001,CAS002 a repair by hand -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- case: at another statement
-- name: P :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;
-- sqlcas:allow CAS001 a repair by hand -- want
-- name: Q :many
SELECT id FROM account WHERE id = ?;

-- case: a blank line is between
-- sqlcas:allow CAS001 a repair by hand -- want

-- name: Q :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- case: after the last statement
-- name: Q :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- sqlcas:allow CAS001 a repair by hand -- want

-- case: in a schema, nothing there (schema)
-- sqlcas:allow CAS013 it has no key on purpose -- want
CREATE TABLE t (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, version BIGINT UNSIGNED NOT NULL COMMENT 'sqlcas:version');

-- case: below the name
-- name: Q :execrows
-- sqlcas:allow CAS001 a repair by hand
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- case: above the name
-- Q repairs.
-- sqlcas:allow CAS001 a repair by hand
-- name: Q :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;

-- case: within the statement
-- name: Q :execrows
UPDATE account SET balance = ?, version = version + 1
-- sqlcas:allow CAS001 a repair by hand
WHERE id = ?;

-- case: behind the semicolon
-- name: Q :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?; -- sqlcas:allow CAS001 a repair by hand

-- case: several rules, in any case
-- name: Q :execrows
/* sqlcas:allow cas001, CAS002 a repair by hand */
UPDATE account SET balance = ? WHERE id = ?;

-- case: two comments
-- name: Q :execrows
-- sqlcas:allow CAS001 a repair by hand
-- sqlcas:allow CAS002 a repair by hand
UPDATE account SET balance = ? WHERE id = ?;

-- case: in a string
-- name: Q :many
SELECT id FROM account WHERE owner = '-- sqlcas:allow' AND id = ?;

-- case: another word
-- name: Q :many
-- sqlcas:allowed CAS001, and see sqlcas:allow in the docs
SELECT id FROM account WHERE id = ?;

-- case: a statement without a name
-- sqlcas:allow CAS001 a repair by hand
UPDATE account SET balance = 1, version = version + 1 WHERE id = 1;

-- case: a rule of the file
-- name: Q :many
SELECT id FROM account WHERE id = ?;
SELECT id FROM job WHERE id = ?; -- sqlcas:allow CAS020 run by hand

-- case: in a schema (schema)
-- sqlcas:allow CAS013 it has no key on purpose
CREATE TABLE t (id BIGINT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL COMMENT 'sqlcas:version');
