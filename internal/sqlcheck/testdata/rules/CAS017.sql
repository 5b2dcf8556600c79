-- case: a guard
-- name: A :execrows
-- @cas
UPDATE account SET balance = balance - 1, version = version + 1
WHERE id = ? AND version = ?
  AND balance >= ?; -- want

-- case: several guards
-- name: A :execrows
-- @cas
UPDATE account SET balance = 0, version = version + 1
WHERE id = ?
  AND owner = ? -- want
  AND version = ?
  AND balance > 0; -- want

-- case: a guard on a delete
-- name: A :execrows
-- @cas
DELETE FROM account WHERE id = ? AND version = ?
  AND (balance = 0 OR owner = ?); -- want

-- case: a subquery
-- name: A :execrows
-- @cas
DELETE FROM account WHERE id = ? AND version = ?
  AND NOT EXISTS (SELECT 1 FROM ledger_entry l WHERE l.account_id = account.id); -- want

-- case: a join
-- name: A :execrows
-- @cas
UPDATE account a JOIN ledger_entry l
  ON l.account_id = a.id -- want
SET a.balance = ?, a.version = a.version + 1
WHERE a.id = ? AND a.version = ?;

-- case: a soft delete
-- name: A :execrows
-- @cas
UPDATE customer SET credit = ?, lock_version = lock_version + 1
WHERE id = ? AND lock_version = ?
  AND deleted_at IS NULL; -- want

-- case: a part of the key
-- name: A :execrows
-- @cas
UPDATE order_line SET quantity = ?, version = version + 1
WHERE order_id = ? AND version = ?; -- want

-- case: another key
-- name: A :execrows
-- @cas
UPDATE customer SET credit = ?, lock_version = lock_version + 1
WHERE email = ? AND lock_version = ?; -- want

-- case: many keys
-- name: A :execrows
-- @cas
DELETE FROM account
WHERE id IN (sqlc.slice('ids')) AND version = ?; -- want

-- case: no WHERE
-- name: A :execrows
-- @cas
DELETE FROM
  account; -- want

-- case: a second look at the version
-- name: A :execrows
-- @cas
UPDATE account SET balance = ?, version = version + 1
WHERE id = ? AND version = ?
  AND version < 1000; -- want

-- case: key and version
-- name: A :execrows
-- @cas
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;
-- name: B :execrows
-- @cas
DELETE FROM account WHERE (sqlc.arg(version) = version) AND (id = sqlc.arg(id));

-- case: composite key, other names
-- name: A :execrows
-- @cas
UPDATE order_line SET quantity = ?, version = version + 1 WHERE (line_no = ? AND version = ?) AND order_id = ?;
-- name: B :execrows
-- @cas
UPDATE customer SET credit = ?, lock_version = lock_version + 1 WHERE id = ? AND lock_version = ?;
-- name: C :execrows
-- @cas
UPDATE `order` o SET o.`group` = ?, o.`version` = o.`version` + 1 WHERE o.`id` = ? AND o.`version` = ?;

-- case: a condition in SET
-- name: A :execrows
-- @cas
UPDATE account SET balance = IF(balance >= ?, balance - ?, balance), version = version + 1 WHERE id = ? AND version = ?;

-- case: not marked
-- name: A :execrows
UPDATE account SET balance = balance - ?, version = version + 1 WHERE id = ? AND version = ? AND balance >= ?;
-- name: B :execrows
DELETE FROM order_line WHERE order_id = ? AND version = ?;

-- case: a mark that is none
-- name: A :execrows
-- The word @cas in the middle, and @cascade.
-- @cascade
UPDATE account SET balance = 0, version = version + 1 WHERE id = ? AND version = ? AND balance >= ?;

-- case: the mark of a statement before
-- name: A :execrows
-- @cas
DELETE FROM account WHERE id = ? AND version = ?;
-- name: B :execrows
DELETE FROM account WHERE id = ? AND version = ? AND balance = 0;

-- case: comments and strings
-- name: A :execrows
-- @cas
UPDATE account SET owner = 'AND balance >= 0', version = version + 1 /* AND balance >= ? */ WHERE id = ? AND version = ?; -- AND balance >= 0

-- case: reads and inserts
-- name: A :one
-- @cas get Account
SELECT id, owner, balance, version FROM account WHERE id = ?;
-- name: B :many
-- @cas lock
SELECT id, owner, balance, version FROM account WHERE owner = ? AND balance > 0 ORDER BY id FOR UPDATE;
-- name: C :execlastid
-- @cas insert Account
INSERT INTO account (owner, balance) VALUES (?, ?);

-- case: not versioned
-- name: A :execrows
-- @cas
UPDATE document SET title = ? WHERE id = ? AND version = ? AND title <> ?;

-- case: no version check at all, which CAS001 is about
-- name: A :execrows
-- @cas
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND owner = ?;
