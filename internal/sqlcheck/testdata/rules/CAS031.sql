-- case: the version alone
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE version = ?; -- want

-- case: a part of the key
-- name: A :execrows
UPDATE order_line SET quantity = ?, version = version + 1
WHERE order_id = ? AND version = ?; -- want

-- case: the other part of the key
-- name: A :execrows
DELETE FROM order_line
WHERE line_no = ? AND version = ?; -- want

-- case: a column that is no key
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE owner = ? AND version = ?; -- want

-- case: several keys
-- name: A :execrows
UPDATE account SET balance = 0, version = version + 1
WHERE id IN (sqlc.slice('ids')) AND version = ?; -- want

-- case: a range of keys
-- name: A :execrows
DELETE FROM account
WHERE id > ? AND version = 1; -- want

-- case: keys under OR
-- name: A :execrows
UPDATE account SET balance = 0, version = version + 1
WHERE (id = ? OR id = ?) AND version = ?; -- want

-- case: a key compared with itself
-- name: A :execrows
UPDATE account SET balance = 0, version = version + 1
WHERE id = id AND version = ?; -- want

-- case: a join that does not name the row
-- name: A :execrows
UPDATE account a JOIN ledger_entry l ON l.account_id = a.id
SET a.balance = ?, a.version = a.version + 1
WHERE l.amount = ? AND a.version = ?; -- want

-- case: the whole key
-- name: A :execrows
UPDATE order_line SET quantity = ?, version = version + 1
WHERE order_id = ? AND line_no = ? AND version = ?;

-- case: a unique key
-- name: A :execrows
UPDATE customer SET credit = ?, lock_version = lock_version + 1
WHERE email = ? AND lock_version = ?;

-- case: a guard as well
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ? AND version = ? AND balance >= ?;

-- case: no version, which is CAS001
-- name: A :execrows
UPDATE order_line SET quantity = ?, version = version + 1
WHERE order_id = ?;

-- case: marked, which is CAS017
-- name: A :execrows
-- @cas
UPDATE order_line SET quantity = ?, version = version + 1
WHERE order_id = ? AND version = ?;

-- case: one of a list of one
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id IN (?) AND version = ?;

-- case: a version of each row by a join
-- name: A :execrows
UPDATE order_line o JOIN ledger_entry l ON l.id = o.order_id
SET o.quantity = 1, o.version = o.version + 1
WHERE l.account_id = ? AND o.version = l.amount;

-- case: a key by a join with one row
-- name: A :execrows
UPDATE account a JOIN ledger_entry l ON l.account_id = a.id
SET a.balance = ?, a.version = a.version + 1
WHERE l.id = ? AND a.version = ?;

-- case: a table without a version
-- name: A :execrows
UPDATE ledger_entry SET memo = ? WHERE amount = ?;

-- case: a read
-- name: A :many
SELECT id FROM account WHERE version = ?;
