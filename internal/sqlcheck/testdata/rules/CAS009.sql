-- case: a list of keys
-- name: A :many
SELECT id, balance FROM account WHERE id IN (sqlc.slice('ids'))
FOR UPDATE; -- want
-- name: B :many
SELECT id, balance FROM account WHERE id IN (?, ?)
FOR UPDATE NOWAIT; -- want
-- name: C :many
SELECT id, balance FROM account WHERE id = ? OR id = ?
FOR SHARE; -- want

-- case: a range, a secondary index, nothing
-- name: A :many
SELECT id FROM account WHERE id BETWEEN ? AND ?
FOR UPDATE; -- want
-- name: B :many
SELECT id FROM ledger_entry WHERE account_id = ?
LOCK IN SHARE MODE; -- want
-- name: C :many
SELECT id FROM job
FOR UPDATE; -- want

-- case: a part of the key
-- name: A :many
SELECT line_no FROM order_line WHERE order_id = ?
FOR UPDATE; -- want

-- case: an order by something else
-- name: A :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids')) ORDER BY
  balance -- want
FOR UPDATE;
-- name: B :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids')) ORDER BY
  balance, id -- want
FOR UPDATE;
-- name: C :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids')) ORDER BY
  -id -- want
FOR UPDATE;
-- name: D :many
SELECT id, balance FROM account WHERE id IN (sqlc.slice('ids')) ORDER BY 2
FOR UPDATE; -- want

-- case: an order that is hidden behind an alias
-- name: A :many
SELECT balance AS id FROM account WHERE account.id > ? ORDER BY
  id -- want
FOR UPDATE;

-- case: only a part of the key, and mixed directions
-- name: A :many
SELECT line_no FROM order_line WHERE sku = ? ORDER BY
  order_id -- want
FOR UPDATE;
-- name: B :many
SELECT line_no FROM order_line WHERE sku = ? ORDER BY
  order_id, line_no DESC -- want
FOR UPDATE;
-- name: C :many
SELECT line_no FROM order_line WHERE sku = ? ORDER BY
  line_no, order_id -- want
FOR UPDATE;

-- case: a unique key that may be NULL
-- name: A :many
SELECT id FROM customer WHERE phone IS NULL
FOR UPDATE; -- want
-- name: B :many
SELECT id FROM customer WHERE tenant_id = ? ORDER BY
  phone -- want
FOR UPDATE;

-- case: a limit of several
-- name: A :many
SELECT id FROM account WHERE id > ? LIMIT 10
FOR UPDATE; -- want
-- name: B :many
SELECT id FROM account WHERE id > ? LIMIT ?
FOR UPDATE; -- want

-- case: the order in a comment
-- name: A :many
SELECT id FROM account WHERE owner = 'ORDER BY id' AND id > 5 /* ORDER BY id */
FOR UPDATE; -- want

-- case: a join of one with many
-- name: A :many
SELECT l.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ?
FOR UPDATE; -- want

-- case: the keys of the other table
-- name: A :many
SELECT l.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? ORDER BY
  a.id -- want
FOR UPDATE;

-- case: nested
-- name: A :one
SELECT COUNT(*) FROM (SELECT id FROM account WHERE id > ?
  FOR UPDATE) AS x ORDER BY 1; -- want
-- name: B :many
(SELECT id FROM account WHERE id > ?
  FOR UPDATE) -- want
UNION (SELECT id FROM account WHERE id = ? FOR UPDATE);
-- name: C :many
WITH account AS (SELECT id FROM account WHERE id > ?
  FOR UPDATE) -- want
SELECT id FROM account;

-- case: not in a query
SELECT id FROM account WHERE id IN (1, 2)
FOR UPDATE; -- want

-- case: one row by its key
-- name: A :one
SELECT balance FROM account WHERE id = ? FOR UPDATE;
-- name: B :one
SELECT quantity FROM order_line WHERE (line_no = ?) AND ? = order_id FOR UPDATE;
-- name: C :one
SELECT balance FROM account WHERE id IN (?) AND balance > 0 FOR SHARE;
-- name: D :one
SELECT balance FROM account WHERE id = (SELECT MAX(account_id) FROM ledger_entry) FOR UPDATE;
-- name: E :one
SELECT quantity FROM order_line WHERE (order_id, line_no) = (1, 2) FOR UPDATE;

-- case: one row by a unique key
-- name: A :one
SELECT credit FROM customer WHERE email = ? FOR UPDATE;
-- name: B :one
SELECT credit FROM customer WHERE phone = ? ORDER BY id FOR UPDATE;
-- name: C :one
SELECT `group` FROM `order` WHERE `key` = ? FOR UPDATE;

-- case: in order
-- name: A :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids')) ORDER BY id FOR UPDATE;
-- name: B :many
SELECT id FROM account WHERE id > ? ORDER BY account.id DESC, balance FOR UPDATE;
-- name: C :many
SELECT line_no FROM order_line WHERE sku = ? ORDER BY order_id, line_no FOR UPDATE;
-- name: D :many
SELECT line_no FROM order_line WHERE sku = ? ORDER BY order_id DESC, line_no DESC FOR UPDATE;
-- name: E :many
SELECT id FROM customer WHERE tenant_id = ? ORDER BY email FOR UPDATE;

-- case: in order, and a part is fixed
-- name: A :many
SELECT line_no FROM order_line WHERE order_id = ? ORDER BY line_no FOR UPDATE;
-- name: B :many
SELECT line_no FROM order_line WHERE order_id = ? ORDER BY order_id DESC, line_no FOR UPDATE;
-- name: C :many
SELECT id FROM customer WHERE tenant_id = ? ORDER BY tenant_id, id FOR UPDATE;

-- case: in order by number and by alias
-- name: A :many
SELECT balance, id FROM account WHERE id > ? ORDER BY 2 FOR UPDATE;
-- name: B :many
SELECT id AS key_of_it FROM account WHERE id > ? ORDER BY key_of_it FOR UPDATE;

-- case: the first row
-- name: A :one
SELECT id FROM job WHERE status = 'P' LIMIT 1 FOR UPDATE;

-- case: any free rows
-- name: A :many
SELECT id FROM job WHERE status = 'P' LIMIT 10 FOR UPDATE SKIP LOCKED;
-- name: B :many
SELECT id FROM job WHERE status = 'P' ORDER BY run_at LIMIT ? FOR UPDATE SKIP LOCKED;

-- case: reads that do not lock
-- name: A :many
SELECT id FROM account WHERE owner = 'FOR UPDATE' /* FOR UPDATE */;
-- name: B :many
SELECT id FROM account WHERE id IN (SELECT account_id FROM ledger_entry WHERE id = ? FOR UPDATE);

-- case: joins of single rows, and of a locked single row with others
-- name: A :one
SELECT a.id FROM ledger_entry l JOIN account a ON a.id = l.account_id WHERE l.id = ? FOR UPDATE;
-- name: D :one
SELECT a.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE l.id = ? FOR UPDATE;
-- name: B :many
SELECT a.id, l.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? FOR UPDATE OF a;
-- name: C :many
SELECT a.id, l.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? ORDER BY l.id FOR UPDATE;

-- case: not known
-- name: A :many
SELECT id FROM account_archive WHERE owner = ? FOR UPDATE;
-- name: B :many
WITH account AS (SELECT 1 AS id UNION SELECT 2) SELECT id FROM account FOR UPDATE;

-- case: writes
-- name: A :execrows
UPDATE job SET status = 'D' WHERE status = 'P';
-- name: B :execrows
DELETE FROM ledger_entry WHERE account_id IN (?, ?);

-- case: an aggregate is one row, whatever its order
-- name: A :one
SELECT COUNT(*) FROM ledger_entry WHERE account_id = ? FOR UPDATE;
-- name: B :one
SELECT COALESCE(MAX(amount), 0) + 1 AS next FROM ledger_entry WHERE account_id = ? FOR UPDATE;

-- case: an aggregate of groups
-- name: A :many
SELECT account_id, COUNT(*) FROM ledger_entry WHERE account_id IN (?, ?) GROUP BY account_id
FOR UPDATE; -- want
