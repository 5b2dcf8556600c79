-- case: a column without an index
-- name: A :many
SELECT id FROM account
WHERE owner = ? -- want
ORDER BY id FOR UPDATE;
-- name: B :execrows
UPDATE account SET balance = 0, version = version + 1
WHERE owner = ? AND version = ?; -- want
-- name: C :execrows
DELETE FROM ledger_entry
WHERE memo = ?; -- want

-- case: no WHERE at all
-- name: A :many
SELECT id FROM
  account -- want
FOR UPDATE;
-- name: B :execrows
DELETE FROM
  job; -- want
-- name: C :many
SELECT id FROM
  account -- want
LOCK IN SHARE MODE;

-- case: the second column of an index, the second of the key
-- name: A :execrows
UPDATE job SET status = 'D'
WHERE run_at < ?; -- want
-- name: B :execrows
DELETE FROM order_line
WHERE line_no = ? AND version = ?; -- want

-- case: something around the column
-- name: A :execrows
DELETE FROM ledger_entry
WHERE account_id + 0 = ?; -- want
-- name: B :execrows
DELETE FROM customer
WHERE LOWER(email) = ?; -- want
-- name: C :execrows
DELETE FROM ledger_entry
WHERE CAST(id AS CHAR) = ?; -- want

-- case: text compared with a number
-- name: A :execrows
UPDATE customer SET vip = 1, lock_version = lock_version + 1
WHERE phone = 5551234 AND lock_version = ?; -- want

-- case: OR with a branch that has no index
-- name: A :many
SELECT id FROM customer
WHERE email = ? OR credit < 0 -- want
ORDER BY id FOR UPDATE;
-- name: B :many
SELECT id FROM customer
WHERE tenant_id = ? AND credit < 0 OR credit > 9 -- want
ORDER BY id FOR UPDATE;

-- case: comparisons that no index serves
-- name: A :execrows
DELETE FROM ledger_entry
WHERE id <> ?; -- want
-- name: B :execrows
DELETE FROM ledger_entry
WHERE id NOT IN (?, ?); -- want
-- name: C :execrows
DELETE FROM job
WHERE status LIKE '%D'; -- want
-- name: D :execrows
DELETE FROM customer
WHERE deleted_at IS NOT NULL AND lock_version = ?; -- want
-- name: E :execrows
DELETE FROM ledger_entry
WHERE NOT (id = ?); -- want
-- name: F :execrows
DELETE FROM ledger_entry
WHERE id = account_id; -- want
-- name: G :execrows
DELETE FROM order_line
WHERE (order_id, line_no) > (1, 2) AND version = ?; -- want

-- case: a subquery that depends on the row
-- name: A :execrows
DELETE FROM account
WHERE EXISTS (SELECT 1 FROM ledger_entry l WHERE l.account_id = account.id) AND version = ?; -- want

-- case: a limit, but it reads on
-- name: A :one
SELECT id FROM job
WHERE worker IS NULL -- want
ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- name: B :many
SELECT id FROM
  job -- want
LIMIT 5 FOR UPDATE SKIP LOCKED;
-- name: C :many
SELECT id FROM
  job -- want
ORDER BY run_at LIMIT 5 FOR UPDATE SKIP LOCKED;

-- case: a limit of writes that read on, and of two tables
-- name: A :execrows
DELETE FROM ledger_entry
WHERE memo = ? -- want
ORDER BY id LIMIT 10;
-- name: B :many
SELECT a.id FROM
  account a, -- want
  inventory i -- want
ORDER BY a.id LIMIT 2 FOR UPDATE;

-- case: a join whose tables find only each other
-- name: A :many
SELECT a.id FROM account a JOIN ledger_entry l ON l.account_id = a.id
WHERE a.owner = ? -- want
ORDER BY a.id FOR UPDATE;

-- case: a join that one table has no part in
-- name: A :many
SELECT a.id FROM account a JOIN inventory i
WHERE a.id = ? -- want
ORDER BY i.product_id FOR UPDATE;

-- case: a natural join of tables without a column in common
-- name: A :many
SELECT a.owner FROM account AS a NATURAL JOIN audit_log
WHERE a.id = ? -- want
ORDER BY a.id FOR UPDATE;

-- case: the optional side alone is restricted
-- name: A :many
SELECT a.id FROM
  account a -- want
LEFT JOIN ledger_entry l ON l.account_id = a.id AND a.id = ? ORDER BY a.id FOR UPDATE;

-- case: a lock in a subquery
-- name: A :one
SELECT COUNT(*) FROM (SELECT id FROM account
  WHERE balance < 0 -- want
  FOR UPDATE) AS poor;

-- case: a table without any key
-- name: A :execrows
DELETE FROM audit_log
WHERE at < ?; -- want

-- case: only the words of an index
-- name: A :execrows
DELETE FROM ledger_entry
WHERE memo = 'id = 1' /* AND id = 1 */; -- want

-- case: a written table that a join does not find
-- name: A :execrows
UPDATE job j JOIN account a ON a.owner = j.worker SET j.status = 'D'
WHERE a.id = ?; -- want

-- case: the column of an expression that is indexed
-- name: A :execrows
DELETE FROM voucher
WHERE code = ?; -- want

-- case: not in a query
DELETE FROM ledger_entry
WHERE memo = 'x'; -- want

-- case: the primary key
-- name: A :one
SELECT id FROM account WHERE id = ? FOR UPDATE;
-- name: B :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ? AND owner LIKE '%x';
-- name: C :execrows
DELETE FROM order_line WHERE order_id = ? AND version = ?;

-- case: an index
-- name: A :many
SELECT id FROM ledger_entry WHERE account_id = ? ORDER BY id FOR UPDATE;
-- name: B :execrows
UPDATE customer SET vip = 1, lock_version = lock_version + 1 WHERE (tenant_id) = ? AND lock_version = ?;
-- name: C :execrows
UPDATE `order` SET `group` = 1, `version` = `version` + 1 WHERE `key` = ? AND `version` = ?;

-- case: ranges, lists, nothing
-- name: A :many
SELECT id FROM account WHERE id BETWEEN ? AND ? ORDER BY id FOR UPDATE;
-- name: B :execrows
DELETE FROM job WHERE status IN ('D', 'F');
-- name: C :execrows
DELETE FROM ledger_entry WHERE ? > id;
-- name: D :execrows
DELETE FROM customer WHERE phone IS NULL AND lock_version = ?;
-- name: E :many
SELECT id FROM customer WHERE email LIKE 'a%' ORDER BY id FOR UPDATE;
-- name: F :many
SELECT id FROM customer WHERE email LIKE ? ORDER BY id FOR UPDATE;
-- name: G :execrows
DELETE FROM ledger_entry WHERE id IN (SELECT account_id FROM job WHERE status = ?);
-- name: H :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids')) ORDER BY id FOR SHARE;
-- name: I :execrows
DELETE FROM ledger_entry WHERE account_id <=> ?;

-- case: OR with an index in each branch
-- name: A :many
SELECT id FROM customer WHERE email = ? OR (phone = ? AND credit > 0) ORDER BY id FOR UPDATE;

-- case: rows
-- name: A :execrows
DELETE FROM order_line WHERE (order_id, line_no) IN ((1, 2), (3, 4)) AND version = ?;
-- name: B :execrows
DELETE FROM order_line WHERE (order_id, line_no) = (1, 2) AND version = ?;

-- case: text compared with text, a number with text
-- name: A :execrows
UPDATE customer SET vip = 1, lock_version = lock_version + 1 WHERE phone = '5551234' AND lock_version = ?;
-- name: B :one
SELECT id FROM account WHERE id = '7' FOR UPDATE;

-- case: an index on an expression
-- name: A :execrows
DELETE FROM voucher WHERE UPPER(code) = ?;

-- case: the first rows of an index
-- name: A :many
SELECT id FROM job ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED;
-- name: B :many
SELECT id FROM job ORDER BY status, run_at LIMIT 10 FOR UPDATE SKIP LOCKED;
-- name: C :execrows
DELETE FROM job ORDER BY id LIMIT 1000;

-- case: joins by an index
-- name: A :many
SELECT a.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? ORDER BY l.id FOR UPDATE;
-- name: B :many
SELECT a.id FROM ledger_entry l, account a WHERE l.id = ? AND a.id = l.account_id FOR UPDATE;
-- name: C :many
SELECT a.id FROM account a LEFT JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? ORDER BY l.id FOR UPDATE;
-- name: D :execrows
UPDATE account a JOIN (SELECT account_id AS id FROM ledger_entry WHERE memo = ?) AS x USING (id)
SET a.balance = 0, a.version = a.version + 1 WHERE a.version = ?;
-- name: E :execrows
DELETE l FROM ledger_entry AS l JOIN account AS a ON a.id = l.account_id WHERE a.owner = ?;

-- case: a natural join, by the columns of one name
-- name: A :many
SELECT o.id FROM ledger_entry AS o NATURAL JOIN job WHERE o.id = ? FOR UPDATE;

-- case: only one table of the join is locked
-- name: A :many
SELECT a.id FROM account a JOIN audit_log g ON g.message = a.owner WHERE a.id = ? FOR UPDATE OF a;

-- case: reads that do not lock
-- name: A :many
SELECT id FROM account WHERE owner = ?;
-- name: B :many
SELECT 'FOR UPDATE' AS text, id FROM account /* FOR UPDATE */ WHERE owner = ?;
-- name: C :one
SELECT COUNT(*) FROM account WHERE owner = ? AND EXISTS (SELECT 1 FROM job WHERE id = 1 FOR UPDATE);

-- case: not known
-- name: A :many
SELECT id FROM account_archive WHERE owner = ? FOR UPDATE;
-- name: B :execrows
DELETE FROM account_archive;
-- name: C :many
SELECT id FROM (SELECT 1 AS id) AS account WHERE id = 1 FOR UPDATE;

-- case: a CTE by the name of a table
-- name: A :many
WITH account AS (SELECT 1 AS owner) SELECT owner FROM account WHERE owner = ? FOR UPDATE;

-- case: inserts and whole tables
-- name: A :exec
INSERT INTO audit_log (at, message) SELECT NOW(), owner FROM account WHERE owner = ?;
-- name: B :exec
TRUNCATE TABLE job;
