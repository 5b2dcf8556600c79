-- case: a parameter
-- name: A :execrows
UPDATE account SET
  id = ?, -- want
  version = version + 1 WHERE id = ? AND version = ?;

-- case: an expression
-- name: A :execrows
UPDATE account SET
  id = id + 1000, -- want
  version = version + 1 WHERE id = ? AND version = ?;

-- case: one column of a composite key
-- name: A :execrows
UPDATE order_line SET version = version + 1,
  line_no = ? -- want
WHERE order_id = ? AND line_no = ? AND version = ?;

-- case: both of them
-- name: A :execrows
UPDATE order_line SET version = version + 1,
  order_id = ?, -- want
  line_no = ? -- want
WHERE order_id = ? AND line_no = ? AND version = ?;

-- case: qualified by an alias
-- name: A :execrows
UPDATE account AS a SET a.version = a.version + 1,
  a.`ID` = sqlc.arg(new) -- want
WHERE a.id = ? AND a.version = ?;

-- case: in a join
-- name: A :execrows
UPDATE ledger_entry l JOIN account a ON a.id = l.account_id SET l.memo = ?, a.version = a.version + 1,
  a.id = l.amount -- want
WHERE a.id = ? AND a.version = ?;

-- case: the key of the other table
-- name: A :execrows
UPDATE account a JOIN inventory i ON i.product_id = a.id SET a.version = a.version + 1, i.version = i.version + 1,
  i.product_id = a.id -- want
WHERE a.id = ? AND a.version = ? AND i.version = ?;

-- case: DEFAULT, and other names
-- name: A :execrows
UPDATE account SET version = version + 1,
  id = DEFAULT -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE `order` SET `version` = `version` + 1,
  `id` = ? -- want
WHERE `id` = ? AND `version` = ?;

-- case: without a version check
-- name: A :exec
UPDATE customer SET
  id = ? -- want
WHERE email = ?;

-- case: other columns
-- name: A :execrows
UPDATE account SET owner = ?, balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: a comparison in WHERE
-- name: A :execrows
UPDATE order_line SET quantity = ?, version = version + 1 WHERE order_id = ? AND line_no = ? AND version = ?;

-- case: to itself
-- name: A :execrows
UPDATE account SET id = id, version = version + 1 WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account a SET a.id = (a.id), a.version = a.version + 1 WHERE a.id = ? AND a.version = ?;

-- case: a unique key that is not the primary one
-- name: A :execrows
UPDATE customer SET email = ?, lock_version = lock_version + 1 WHERE id = ? AND lock_version = ?;

-- case: a column that is the key of another table
-- name: A :execrows
UPDATE document d JOIN account a ON a.id = d.id SET d.id = ? WHERE a.id = ?;
-- name: B :execrows
UPDATE ledger_entry l JOIN account a ON a.id = l.account_id SET l.id = ? WHERE a.id = ?;

-- case: not versioned, not known
-- name: A :execrows
UPDATE job SET id = ? WHERE id = ?;
-- name: B :execrows
UPDATE account_archive SET id = ? WHERE id = ?;

-- case: an alias and a CTE by the versioned table's name
-- name: A :execrows
UPDATE document AS account SET account.id = ? WHERE account.title = ?;
-- name: B :execrows
WITH account AS (SELECT 1 AS id) UPDATE job JOIN account ON account.id = job.id SET job.id = ?;

-- case: strings, comments, comparisons in SET
-- name: A :execrows
UPDATE account SET owner = 'id = 5', /* id = 5, */ balance = (id = ?), version = version + 1 WHERE id = ? AND version = ?;

-- case: inserts
-- name: A :exec
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?);
-- name: B :exec
INSERT INTO account SET id = ?, owner = ?, balance = ?;
