-- case: a derived table only
-- name: A :many
SELECT x.id FROM (SELECT id FROM account WHERE owner = ?) AS x
FOR UPDATE; -- want
-- name: B :many
SELECT x.id FROM (SELECT id FROM account WHERE owner = ?) AS x
LOCK IN SHARE MODE; -- want

-- case: a CTE only
-- name: A :many
WITH mine AS (SELECT id, balance FROM account WHERE owner = ?)
SELECT id, balance FROM mine ORDER BY id
FOR UPDATE; -- want

-- case: a derived table beside a table
-- name: A :many
SELECT a.id, l.total FROM account a JOIN (SELECT account_id, amount AS total FROM ledger_entry) AS l ON l.account_id = a.id WHERE a.id = ?
FOR UPDATE; -- want

-- case: OF a derived table
-- name: A :many
SELECT a.id, l.total FROM account a JOIN (SELECT account_id, amount AS total FROM ledger_entry) AS l ON l.account_id = a.id WHERE a.id = ?
FOR UPDATE OF l; -- want

-- case: the last arm of a UNION only
-- name: A :many
SELECT id FROM account WHERE id = ? UNION ALL SELECT product_id FROM inventory WHERE product_id = ?
FOR UPDATE; -- want
-- name: B :many
(SELECT id FROM account WHERE id = ?) UNION ALL (SELECT product_id FROM inventory WHERE product_id = ?
FOR SHARE); -- want

-- case: a subquery in WHERE, in EXISTS, in the list
-- name: A :many
SELECT id FROM account WHERE id IN (SELECT product_id FROM inventory WHERE product_id = ?) ORDER BY id
FOR UPDATE; -- want
-- name: B :many
SELECT id FROM ledger_entry WHERE id = ? AND EXISTS (SELECT 1 FROM account a WHERE a.id = ledger_entry.account_id)
FOR UPDATE; -- want
-- name: C :many
SELECT id, (SELECT MAX(i.on_hand) FROM inventory i WHERE i.product_id = account.id) AS most FROM account WHERE id = ?
FOR SHARE; -- want

-- case: a look-up in a table without a version
-- name: A :many
SELECT id FROM account WHERE id IN (SELECT account_id FROM ledger_entry WHERE id = ?) ORDER BY id FOR UPDATE;
-- name: B :many
SELECT id, (SELECT MAX(l.amount) FROM ledger_entry l WHERE l.account_id = account.id) AS most FROM account WHERE id = ? FOR SHARE;

-- case: tables
-- name: A :many
SELECT id FROM account WHERE id = ? FOR UPDATE;
-- name: B :many
SELECT a.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? FOR UPDATE;

-- case: a view does lock
-- name: A :many
SELECT id FROM rich_account WHERE id = ? FOR UPDATE;
-- name: B :many
SELECT id FROM entry_of_account WHERE id = ? FOR UPDATE;

-- case: the inner ones have their own
-- name: A :many
SELECT x.id FROM (SELECT id FROM account WHERE owner = ? FOR UPDATE) AS x FOR UPDATE;
-- name: B :many
WITH mine AS (SELECT id FROM account WHERE id = ? FOR UPDATE) SELECT id FROM mine FOR UPDATE;
-- name: C :many
SELECT id FROM account WHERE id IN (SELECT account_id FROM ledger_entry WHERE id = ? FOR SHARE) FOR UPDATE;
-- name: D :many
(SELECT id FROM account WHERE id = ? FOR UPDATE) UNION ALL (SELECT product_id FROM inventory WHERE product_id = ? FOR UPDATE);

-- case: an arm of a UNION that reads no table
-- name: A :many
SELECT 0 AS id UNION ALL SELECT id FROM account WHERE id = ? FOR UPDATE;

-- case: OF the table says that the other one is meant to be read
-- name: A :many
SELECT a.id FROM account a JOIN (SELECT account_id FROM ledger_entry) AS l ON l.account_id = a.id WHERE a.id = ? FOR UPDATE OF a;

-- case: the lock is in the derived table or the CTE only, or there is none
-- name: A :many
SELECT x.id FROM (SELECT id FROM account WHERE id = ? FOR UPDATE) AS x;
-- name: B :many
SELECT id FROM account WHERE id IN (SELECT account_id FROM ledger_entry);

-- case: values only
-- name: A :many
SELECT a.id FROM account a JOIN (SELECT 1 AS id UNION ALL SELECT 2) AS x ON x.id = a.id ORDER BY a.id FOR UPDATE;
-- name: B :many
SELECT id FROM account WHERE id = (SELECT 1) FOR UPDATE;
