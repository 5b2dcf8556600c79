-- case: SUM
-- name: Q :one
SELECT SUM(amount) AS total FROM ledger_entry; -- want

-- case: MAX, MIN and AVG
-- name: Q :one
SELECT MAX(balance) AS a, -- want
  min(balance) AS b, -- want
  COUNT(*) AS c,
  AVG(balance) AS d -- want
FROM account;

-- case: COALESCE and IFNULL of one
-- name: Q :one
SELECT COALESCE(SUM(amount), 0) AS a, -- want
  IFNULL(MAX(amount), 0) AS b -- want
FROM ledger_entry;

-- case: the CAST is too far in
-- name: Q :one
SELECT COALESCE(CAST(SUM(amount) AS SIGNED), 0) AS total FROM ledger_entry; -- want

-- case: something added
-- name: Q :one
SELECT SUM(amount) + 1 AS a, -- want
  CAST(SUM(amount) AS SIGNED) * 2 AS b, -- want
  -SUM(amount) AS c -- want
FROM ledger_entry;

-- case: AS CHAR is no type
-- name: Q :one
SELECT CAST(MAX(owner) AS CHAR) AS last FROM account; -- want

-- case: scalar subquery
-- name: Q :many
SELECT id,
  (SELECT SUM(amount) FROM ledger_entry WHERE account_id = account.id) AS total -- want
FROM account;

-- case: derived table
-- name: Q :many
SELECT x.owner, x.total
FROM (SELECT owner,
    SUM(balance) AS total, -- want
    MAX(id) AS last
  FROM account GROUP BY owner) x;

-- case: WITH and a star
-- name: Q :many
WITH x AS (
  SELECT owner, SUM(balance) AS total FROM account GROUP BY owner -- want
) SELECT * FROM x;

-- case: window
-- name: Q :many
SELECT id,
  ROW_NUMBER() OVER (ORDER BY id) AS n, -- want
  SUM(balance) OVER (ORDER BY id) AS s -- want
FROM account;

-- case: CASE
-- name: Q :one
SELECT CASE WHEN COUNT(*) > 1 THEN
  SUM(amount) -- want
  ELSE 0 END AS total FROM ledger_entry;

-- case: the first of a UNION
-- name: Q :many
SELECT SUM(amount) AS n FROM ledger_entry -- want
UNION SELECT id FROM account;

-- case: COUNT and GROUP_CONCAT
-- name: Q :one
SELECT COUNT(*) AS a, COUNT(DISTINCT owner) AS b, GROUP_CONCAT(owner) AS c FROM account;

-- case: CAST around it
-- name: Q :one
SELECT CAST(SUM(amount) AS SIGNED) AS a, CAST(COALESCE(MAX(amount), 0) AS SIGNED) AS b, CAST(AVG(amount) AS DECIMAL(20, 4)) AS c,
  CONVERT(MIN(amount), SIGNED) AS d, (CAST(MIN(amount) AS SIGNED)) AS e
FROM ledger_entry;

-- case: WHERE, HAVING and ORDER BY
-- name: Q :many
SELECT owner FROM account WHERE balance > (SELECT AVG(amount) FROM ledger_entry)
GROUP BY owner HAVING SUM(balance) > 10 ORDER BY MAX(balance);

-- case: compared
-- name: Q :one
SELECT MAX(balance) > 10 AS rich FROM account;

-- case: strings and names
-- name: Q :many
SELECT 'SUM(x)' AS sum, balance AS max FROM account /* MAX(balance) */ WHERE owner <> 'MIN(1)';

-- case: the outer query casts
-- name: Q :one
SELECT CAST(x.total AS SIGNED) AS total FROM (SELECT SUM(amount) AS total, MAX(id) AS last FROM ledger_entry) x;

-- case: a column of a derived table that is not selected
-- name: Q :many
SELECT x.owner FROM (SELECT owner, SUM(balance) AS total FROM account GROUP BY owner) x WHERE x.total > 10;

-- case: a function that has a type
-- name: Q :one
SELECT ROUND(AVG(balance)) AS a, CASE WHEN SUM(balance) > 0 THEN 1 ELSE 0 END AS b FROM account;

-- case: CASE with a CAST in ELSE
-- name: Q :one
SELECT CASE WHEN COUNT(*) > 1 THEN SUM(amount) ELSE CAST(0 AS SIGNED) END AS total FROM ledger_entry;

-- case: COALESCE with a column
-- name: Q :many
SELECT COALESCE(MAX(balance), balance) AS b FROM account GROUP BY balance;

-- case: no result
-- name: Q :exec
INSERT INTO ledger_entry (account_id, amount, memo) SELECT id, SUM(balance), 'sum' FROM account GROUP BY id;

-- case: EXISTS
-- name: Q :one
SELECT EXISTS (SELECT MAX(id) FROM account) AS any_at_all;

-- case: the second of a UNION
-- name: Q :many
SELECT id AS n FROM account UNION SELECT SUM(amount) FROM ledger_entry;

-- case: no query of sqlc
SELECT SUM(amount) FROM ledger_entry;
