-- case: the version is not compared
-- name: SetBalance :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?; -- want

-- case: no WHERE at all
-- name: Reset :exec
UPDATE account -- want
SET balance = 0, version = version + 1;

-- case: a version only in a comment and in a string
-- name: Rename :execrows
UPDATE account SET owner = 'version = 1', version = version + 1
/* AND version = ? */
WHERE id = sqlc.arg(id); -- want

-- case: delete
-- name: DeleteAccount :execrows
DELETE FROM account
WHERE id = ?; -- want

-- case: delete with an alias, and the version of another table
-- name: DeleteAccount :execrows
DELETE a FROM account AS a JOIN inventory AS i ON i.product_id = a.id AND i.version = ?
WHERE a.id = ?; -- want

-- case: delete using
-- name: DeleteAccount :execrows
DELETE FROM a USING account a JOIN ledger_entry l ON l.account_id = a.id
WHERE l.id = ?; -- want

-- case: below OR
-- name: Save :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND (version = ? OR owner = ?); -- want

-- case: an OR that holds all of it
-- name: Save :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ? AND version = ? OR owner = ?; -- want

-- case: below NOT
-- name: Save :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND NOT (version <> ?); -- want

-- case: other comparisons than =
-- name: AtLeast :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND version >= ?; -- want

-- name: NullSafe :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND version <=> sqlc.narg(version); -- want

-- name: OneOf :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND version IN (?); -- want

-- name: OneOfSlice :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id IN (sqlc.slice('ids'))
  AND version IN (sqlc.slice('versions')); -- want

-- name: OneOfQuery :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND version IN (SELECT amount FROM ledger_entry); -- want

-- name: Between :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND version BETWEEN ? AND ?; -- want

-- case: the version compared with itself
-- name: Same :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND version = version; -- want

-- name: SameByParameter :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = ?
  AND version = COALESCE(sqlc.narg(version), version); -- want

-- name: SameByJoin :execrows
UPDATE account a JOIN account b ON a.id = b.id
  AND a.version = b.version -- want
SET a.balance = ?, a.version = a.version + 1
WHERE a.id = ?;

-- name: SameBySubquery :execrows
UPDATE account SET balance = ?, version = version + 1
WHERE id = 7
  AND version = (SELECT x.version FROM (SELECT version FROM account WHERE id = 7) AS x); -- want

-- case: the version of the derived table is the one of now
-- name: Same :execrows
UPDATE account a JOIN (SELECT id, version FROM account WHERE owner = ?) AS x ON x.id = a.id
  AND a.version = x.version -- want
SET a.balance = 0, a.version = a.version + 1;

-- case: the version of now under another name
-- name: Same :execrows
UPDATE account JOIN (SELECT id AS pid, version AS was FROM account WHERE owner = ?) AS x ON pid = id
  AND version = was -- want
SET account.balance = 0, account.version = account.version + 1;

-- case: a CTE reads the version of now
-- name: Same :execrows
WITH now AS (SELECT id, version FROM account WHERE id = ?)
UPDATE account a JOIN now ON now.id = a.id
  AND a.version = now.version -- want
SET a.balance = 0, a.version = a.version + 1;

-- case: one of two tables is checked
-- name: Both :execrows
UPDATE account a JOIN inventory i ON i.product_id = a.id
SET a.balance = ?, a.version = a.version + 1, i.on_hand = ?, i.version = i.version + 1
WHERE a.id = ? AND a.version = ?; -- want

-- case: the optional side of a join does not restrict the other one
-- name: Outer :execrows
UPDATE account a LEFT JOIN ledger_entry l ON l.account_id = a.id
  AND a.version = ? -- want
SET a.balance = ?, a.version = a.version + 1
WHERE a.id = ?;

-- case: a column of another name
-- name: SetCredit :execrows
UPDATE customer SET credit = ?, lock_version = lock_version + 1
WHERE id = ?; -- want

-- case: reserved words
-- name: Regroup :execrows
UPDATE `order` SET `group` = ?, `version` = `version` + 1
WHERE `id` = ?; -- want

-- case: another database, capitals
-- name: SetBalance :execrows
update Shop.ACCOUNT set Balance = ?, Version = Version + 1
where Id = ?; -- want

-- case: truncate
-- name: Empty :exec
TRUNCATE TABLE account; -- want

-- case: not in a query
DELETE FROM account
WHERE id = 7; -- want

-- case: plain
-- name: SetBalance :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: the order of it all, brackets and literals
-- name: A :execrows
UPDATE account SET version = version + 1 WHERE (? = version) AND ((id) = ?);
-- name: B :execrows
UPDATE account SET version = version + 1 WHERE ((version) = sqlc.arg(version) AND id = sqlc.arg(id)) AND (owner = ? OR owner = ?);
-- name: C :execrows
UPDATE account SET version = version + 1 WHERE id = 1 AND version = 7;
-- name: D :execrows
UPDATE account SET version = version + 1 WHERE id = 1 && version = ? - 1;

-- case: an argument that is called version
-- name: SetBalance :execrows
UPDATE account SET balance = sqlc.arg(balance), version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- case: qualified by table, alias and database
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE account.id = ? AND account.version = ?;
-- name: B :execrows
UPDATE account AS a SET a.balance = ?, a.version = a.version + 1 WHERE a.id = ? AND a.version = ?;
-- name: C :execrows
UPDATE shop.account SET balance = ?, version = version + 1 WHERE shop.account.id = ? AND shop.account.version = ?;

-- case: delete
-- name: A :execrows
DELETE FROM account WHERE id = ? AND version = ?;
-- name: B :execrows
DELETE a FROM account AS a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? AND a.version = ?;

-- case: the other table of the join has the version to expect
-- name: Merge :execrows
UPDATE account a JOIN (SELECT 1 AS id, 7 AS version UNION ALL SELECT 2, 9) AS x ON x.id = a.id AND a.version = x.version
SET a.balance = 0, a.version = a.version + 1;

-- case: the version to expect under another name
-- name: Merge :execrows
UPDATE account JOIN (SELECT 1 AS pid, 7 AS was) AS x ON pid = id AND version = was
SET account.balance = 0, account.version = account.version + 1;

-- case: USING names the key
-- name: Merge :execrows
UPDATE account JOIN (SELECT 1 AS id, 7 AS was) AS x USING (id)
SET account.balance = 0, account.version = account.version + 1 WHERE account.version = x.was;

-- case: a table that is only read in the join
-- name: Fail :execrows
UPDATE ledger_entry l JOIN account a ON a.id = l.account_id SET l.memo = ? WHERE a.id = ?;
-- name: Prune :execrows
DELETE l FROM ledger_entry AS l JOIN account AS a ON a.id = l.account_id WHERE a.owner = ?;

-- case: an alias that is called as the versioned table
-- name: Prune :execrows
DELETE FROM ledger_entry AS account WHERE account.id = ?;
-- name: Fix :execrows
UPDATE ledger_entry AS account SET account.memo = ? WHERE account.id = ?;

-- case: a CTE that hides the versioned table
-- name: Prune :execrows
WITH account AS (SELECT 1 AS id) UPDATE ledger_entry l JOIN account ON account.id = l.account_id SET l.memo = ?;

-- case: the words in strings and comments only
-- name: Note :execrows
UPDATE ledger_entry SET memo = 'UPDATE account SET balance = 0' /* DELETE FROM account */ WHERE id = ?;
-- name: Log :exec
INSERT INTO audit_log (at, message) VALUES (NOW(), 'DELETE FROM account WHERE id = 1'); # UPDATE account SET balance = 0

-- case: a table whose column is merely called version
-- name: Retitle :execrows
UPDATE document SET title = ?, version = ? WHERE id = ?;
-- name: Drop :execrows
DELETE FROM document WHERE id = ?;

-- case: not versioned, and not known
-- name: Done :execrows
UPDATE job SET status = 'D' WHERE id = ?;
-- name: Archive :execrows
DELETE FROM account_archive WHERE id = ?;
-- name: Empty :exec
TRUNCATE TABLE audit_log;

-- case: reads of it
-- name: Get :one
SELECT id, balance FROM account WHERE id = ? FOR UPDATE;
-- name: Copy :exec
INSERT INTO audit_log (at, message) SELECT NOW(), owner FROM account WHERE id = ?;

-- case: an inner join restricts both sides
-- name: Inner :execrows
UPDATE account a JOIN ledger_entry l ON l.account_id = a.id AND a.version = ?
SET a.balance = ?, a.version = a.version + 1 WHERE a.id = ?;

-- case: a column that no table has
-- name: A :execrows
UPDATE account SET nosuchcolumn = 'x'
WHERE id = ?; -- want
-- name: B :execrows
UPDATE account a JOIN ledger_entry l ON l.account_id = a.id SET nosuchcolumn = 'x'
WHERE a.id = ?; -- want
-- name: C :execrows
UPDATE account a JOIN (SELECT 1 AS id) AS x ON x.id = a.id SET nosuchcolumn = 'x'
WHERE a.id = ?; -- want

-- case: a column that no table has, of tables without a version
-- name: A :execrows
UPDATE ledger_entry SET nosuchcolumn = 'x' WHERE id = ?;
-- name: B :execrows
UPDATE account a JOIN account_archive r ON r.id = a.id SET nosuchcolumn = 'x' WHERE a.id = ?;

-- case: through a view
-- name: A :execrows
UPDATE rich_account SET balance = ?, version = version + 1
WHERE id = ?; -- want
-- name: B :execrows
DELETE FROM named_account
WHERE no = ?; -- want
-- name: C :execrows
UPDATE richest r SET r.v = r.v + 1
WHERE r.nr = ?; -- want
-- name: D :execrows
UPDATE owners SET owner = ?
WHERE id = ?; -- want
-- name: E :execrows
UPDATE rich_account r JOIN account a ON a.id = r.id
  AND a.version = r.version -- want
SET a.balance = ?, a.version = a.version + 1 WHERE a.id = ?;

-- case: through a view, with the version under its name there
-- name: A :execrows
UPDATE rich_account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;
-- name: B :execrows
DELETE FROM named_account WHERE no = ? AND rev = ?;
-- name: C :execrows
UPDATE richest r SET r.v = r.v + 1 WHERE r.nr = ? AND r.v = ?;

-- case: views of other tables, views that are read, dropped ones
-- name: A :execrows
UPDATE due_job SET status = 'D' WHERE id = ?;
-- name: B :execrows
UPDATE ledger_entry l JOIN rich_account a ON a.id = l.account_id SET l.memo = ? WHERE l.id = ?;
-- name: C :one
SELECT no, name, rev FROM named_account WHERE no = ? FOR UPDATE;
-- name: D :many
SELECT id FROM due_job ORDER BY id FOR UPDATE;
-- name: E :execrows
DELETE FROM gone WHERE id = ?;

-- case: the version compared with itself by an outer column of a subquery
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?
  AND version = (SELECT account.version); -- want
-- name: B :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?
  AND version = (SELECT version FROM ledger_entry WHERE ledger_entry.id = 1); -- want
-- name: C :execrows
UPDATE account a SET a.balance = ?, a.version = a.version + 1 WHERE a.id = ?
  AND a.version = (SELECT MAX(x.n) FROM (SELECT 1 AS m) AS y, LATERAL (SELECT a.version AS n) AS x); -- want
-- name: D :execrows
DELETE FROM account WHERE id = ?
  AND version = 0 + (SELECT (SELECT version)); -- want

-- case: the version compared with itself by LATERAL
-- name: A :execrows
UPDATE account a JOIN LATERAL (SELECT a.version AS v) AS x
SET a.balance = ?, a.version = a.version + 1 WHERE a.id = ?
  AND a.version = x.v; -- want

-- case: the version compared with itself by chained CTEs
-- name: A :execrows
WITH now AS (SELECT id, version FROM account WHERE id = ?), later AS (SELECT id, version AS v FROM now)
UPDATE account a JOIN later ON later.id = a.id
  AND a.version = later.v -- want
SET a.balance = 0, a.version = a.version + 1;
-- name: B :execrows
WITH now AS (SELECT id, version FROM account WHERE id = ?)
UPDATE account SET balance = 0, version = version + 1 WHERE id = ?
  AND version = (SELECT version FROM now); -- want
-- name: C :execrows
WITH account AS (SELECT id, version FROM account WHERE id = ?), later AS (SELECT version FROM account)
DELETE FROM inventory USING inventory JOIN job WHERE product_id = ?
  AND inventory.version = (SELECT i.version FROM inventory i WHERE i.product_id = 1); -- want

-- case: a version that another table has kept, in a subquery, LATERAL, a CTE
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = (SELECT version FROM document WHERE document.id = ?);
-- name: B :execrows
UPDATE account a JOIN LATERAL (SELECT d.version AS v FROM document d WHERE d.id = a.id) AS x
SET a.balance = ?, a.version = a.version + 1 WHERE a.id = ? AND a.version = x.v;
-- name: C :execrows
WITH kept AS (SELECT id, version FROM document WHERE id = ?), later AS (SELECT id, version AS v FROM kept)
UPDATE account a JOIN later ON later.id = a.id AND a.version = later.v SET a.balance = 0, a.version = a.version + 1;
-- name: D :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = (SELECT version FROM kept_elsewhere WHERE id = account.id);
-- name: E :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = (SELECT sqlc.arg(version));
