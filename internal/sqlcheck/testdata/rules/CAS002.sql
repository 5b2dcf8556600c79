-- case: the version is not set
-- name: SetBalance :execrows
UPDATE account -- want
SET balance = ?
WHERE id = ? AND version = ?;

-- case: neither compared nor set
-- name: SetBalance :execrows
UPDATE account -- want
SET balance = ?
WHERE id = ?;

-- case: set to itself
-- name: SetBalance :execrows
UPDATE account SET balance = ?,
  version = version -- want
WHERE id = ? AND version = ?;

-- case: set to itself in other words
-- name: A :execrows
UPDATE account a SET a.balance = ?,
  a.version = (version) -- want
WHERE a.id = ? AND a.version = ?;
-- name: B :execrows
UPDATE account SET balance = ?,
  account.version = account.version + 0 -- want
WHERE id = ? AND version = ?;

-- case: only mentioned in a comment and in a string
-- name: Rename :execrows
UPDATE account -- want
SET owner = 'version = version + 1' /* , version = version + 1 */
WHERE id = ? AND version = ?;

-- case: only read by SET
-- name: Show :execrows
UPDATE account -- want
SET balance = version + 1
WHERE id = ? AND version = ?;

-- case: the other table's version moves
-- name: Both :execrows
UPDATE account a -- want
JOIN inventory i ON i.product_id = a.id
SET a.balance = ?, i.version = i.version + 1
WHERE a.id = ? AND a.version = ? AND i.version = ?;

-- case: joined with itself, the wrong one moves
-- name: Pair :execrows
UPDATE account a JOIN
  account b -- want
  ON b.id = a.id + 1
SET a.version = a.version + 1, b.balance = ?
WHERE a.id = ? AND a.version = ? AND b.version = ?;

-- case: a column of another name
-- name: SetCredit :execrows
UPDATE customer -- want
SET credit = ?
WHERE id = ? AND lock_version = ?;

-- case: reserved words
-- name: Regroup :execrows
UPDATE `order` -- want
SET `group` = ?
WHERE `id` = ? AND `version` = ?;

-- case: on a schema's table, with a hint, in lower case
-- name: SetBalance :execrows
update low_priority ignore
  shop.account -- want
set balance = ?
where id = ? and version = ?;

-- case: plain
-- name: SetBalance :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: in backquotes, qualified, by another case
-- name: A :execrows
UPDATE account a SET a.balance = ?, a.`Version` = a.VERSION + 1 WHERE a.id = ? AND a.version = ?;
-- name: B :execrows
UPDATE `order` SET `order`.`version` = `version` + 1 WHERE `id` = ? AND `version` = ?;

-- case: moved in a way that CAS003 is about
-- name: A :execrows
UPDATE account SET balance = ?, version = ? WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET balance = ?, version = version - 1 WHERE id = ? AND version = ?;

-- case: by the last insert id
-- name: SetBalance :execlastid
UPDATE account SET balance = ?, version = LAST_INSERT_ID(version + 1) WHERE id = ? AND version = ?;

-- case: delete
-- name: DeleteAccount :execrows
DELETE FROM account WHERE id = ? AND version = ?;

-- case: not versioned
-- name: A :execrows
UPDATE ledger_entry SET memo = ? WHERE id = ?;
-- name: B :execrows
UPDATE document SET title = ? WHERE id = ? AND version = ?;
-- name: C :execrows
UPDATE account_archive SET balance = ? WHERE id = ?;

-- case: the versioned table is only read
-- name: A :execrows
UPDATE ledger_entry l JOIN account a ON a.id = l.account_id SET l.amount = a.balance WHERE a.id = ?;
-- name: B :execrows
UPDATE ledger_entry SET amount = (SELECT balance FROM account WHERE account.id = account_id) WHERE id = ?;

-- case: an alias and a CTE by the versioned table's name
-- name: A :execrows
UPDATE ledger_entry AS account SET account.memo = ? WHERE account.id = ?;
-- name: B :execrows
WITH account AS (SELECT 1 AS id) UPDATE ledger_entry l JOIN account ON account.id = l.account_id SET memo = ?;

-- case: other statements
-- name: A :exec
INSERT INTO account (owner, balance) VALUES (?, ?);
-- name: B :one
SELECT 'UPDATE account SET balance = 0' AS text, version FROM account WHERE id = ?;

-- case: a column that no table has
-- name: A :execrows
UPDATE account SET nosuchcolumn = 'x' WHERE id = ? AND version = ?; -- want

-- case: through a view
-- name: A :execrows
UPDATE named_account -- want
SET name = ? WHERE no = ? AND rev = ?;
-- name: B :execrows
UPDATE owners -- want
SET owner = ? WHERE id = ?;
