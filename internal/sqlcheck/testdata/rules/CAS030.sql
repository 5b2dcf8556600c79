-- case: NOT
-- name: Q :many
SELECT id FROM account WHERE
  NOT (balance = ?) -- want
  AND NOT owner LIKE sqlc.arg(owner); -- want

-- case: a guard with NOT
-- name: Q :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?
  AND NOT balance < ?; -- want

-- case: minus, tilde and exclamation mark
-- name: Q :execrows
UPDATE job SET id = -?, -- want
  status = ~?, -- want
  worker = !? -- want
WHERE id = ?;

-- case: REGEXP
-- name: Q :many
SELECT id FROM account WHERE owner REGEXP ?; -- want

-- case: COLLATE
-- name: Q :many
SELECT id FROM account WHERE owner = ? COLLATE utf8mb4_bin; -- want

-- case: ANY and ALL
-- name: Q :many
SELECT id FROM account WHERE
  id = ANY (SELECT account_id FROM ledger_entry WHERE amount = ?) -- want
  OR balance > ALL (SELECT amount FROM ledger_entry WHERE id = ?); -- want

-- case: IS TRUE
-- name: Q :many
SELECT id FROM account WHERE
  (balance = ?) IS TRUE -- want
  OR (version = ?) IS NOT FALSE; -- want

-- case: BETWEEN of an expression
-- name: Q :many
SELECT id FROM account WHERE
  balance + 1 BETWEEN ? AND ? -- want
  OR ? BETWEEN 1 AND 2; -- want

-- case: BETWEEN of a column of WITH
-- name: Q :many
WITH x AS (SELECT id AS k FROM account) SELECT k FROM x WHERE
  k BETWEEN ? AND ?; -- want

-- case: BETWEEN of a column of two tables
-- name: Q :many
SELECT a.id FROM account a JOIN account b ON a.id = b.id WHERE
  a.balance BETWEEN sqlc.arg(low) AND sqlc.arg(high); -- want

-- case: BETWEEN in a subquery of the same table
-- name: Q :many
SELECT id FROM account WHERE id IN (SELECT id FROM account WHERE
  balance BETWEEN ? AND ?); -- want

-- case: IN of an expression
-- name: Q :many
SELECT id FROM account WHERE
  UPPER(owner) IN (?, ?) -- want
  OR balance + 1 IN (sqlc.slice('balances')); -- want

-- case: a macro on the left of IN
-- name: Q :many
SELECT id FROM account WHERE
  sqlc.arg(x) IN (balance, id) -- want
  OR sqlc.arg(y) IN (SELECT account_id FROM ledger_entry); -- want

-- case: a parameter on the left of a list of literals
-- name: Q :many
SELECT id FROM account WHERE ? IN (1, 2); -- want

-- case: windows
-- name: Q :many
SELECT id,
  LAG(balance, ?) OVER (ORDER BY id) AS a, -- want
  COUNT(*) OVER (PARTITION BY owner = ?) AS b -- want
FROM account;

-- case: ORDER BY of UPDATE and DELETE
-- name: P :execrows
UPDATE job SET worker = ?
ORDER BY FIELD(status, ?) LIMIT 1; -- want
-- name: Q :execrows
DELETE FROM job
ORDER BY FIELD(status, ?) LIMIT 1; -- want

-- case: ON of a multi-table UPDATE
-- name: Q :execrows
UPDATE job j JOIN ledger_entry l ON l.id = j.id
  AND l.amount = ? -- want
SET j.worker = 'x';

-- case: GROUP BY, ORDER BY of UNION and of GROUP_CONCAT
-- name: P :many
SELECT COUNT(*) FROM account
GROUP BY balance > ?; -- want
-- name: Q :many
SELECT id FROM account UNION SELECT id FROM job
ORDER BY id = ?; -- want
-- name: R :many
SELECT GROUP_CONCAT(owner
  ORDER BY FIELD(id, ?)) AS owners FROM account; -- want

-- case: a macro in upper case
-- name: Q :many
SELECT id FROM account WHERE owner = SQLC.ARG(owner); -- want

-- case: a CAST does not help
-- name: Q :many
SELECT id FROM account WHERE balance = -CAST(? AS SIGNED); -- want

-- case: NOT of other things
-- name: Q :many
SELECT id FROM account WHERE NOT owner = 'x' AND balance = ? AND balance > -1;

-- case: NOT IN, NOT LIKE, NOT BETWEEN, NOT EXISTS, IS NOT NULL
-- name: Q :many
SELECT id FROM account WHERE id NOT IN (?, ?) AND owner NOT LIKE ? AND balance NOT BETWEEN ? AND ?
  AND NOT EXISTS (SELECT 1 FROM ledger_entry WHERE amount = ?) AND (version = ?) IS NOT NULL;

-- case: a function for REGEXP
-- name: Q :many
SELECT id FROM account WHERE REGEXP_LIKE(owner, ?) AND owner REGEXP '^a?b';

-- case: COLLATE on the other side
-- name: Q :many
SELECT id FROM account WHERE owner COLLATE utf8mb4_bin = ?;

-- case: a column in brackets
-- name: Q :many
SELECT id FROM account WHERE (balance) BETWEEN ? AND ? AND (id) IN (?) AND ? IN (balance, version);

-- case: BETWEEN of a column that one table has
-- name: Q :many
SELECT a.id FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.balance BETWEEN ? AND ? AND l.amount BETWEEN ? AND ?;

-- case: BETWEEN with CASTs
-- name: Q :many
SELECT id FROM account WHERE balance + 1 BETWEEN CAST(? AS SIGNED) AND CAST(? AS SIGNED);

-- case: BETWEEN of a table that the catalogue does not know
-- name: Q :many
SELECT id FROM supplier WHERE since BETWEEN ? AND ?;

-- case: ORDER BY of SELECT, ON of SELECT and DELETE
-- name: P :many
SELECT a.id FROM account a JOIN ledger_entry l ON l.amount = ? ORDER BY FIELD(a.id, ?);
-- name: Q :execrows
DELETE j FROM job j JOIN ledger_entry l ON l.id = j.id AND l.memo = ? WHERE j.id = ?;

-- case: a derived table in an UPDATE
-- name: Q :execrows
UPDATE job j JOIN (SELECT id FROM ledger_entry WHERE amount = ?) l ON l.id = j.id SET j.worker = ?;

-- case: IN of a subquery
-- name: Q :many
SELECT id FROM account WHERE UPPER(owner) IN (SELECT memo FROM ledger_entry WHERE amount = ?) AND ? IN (SELECT account_id FROM ledger_entry);

-- case: tuples are CAS005, variables CAS010
-- name: P :many
SELECT id FROM account WHERE (id, version) = (?, ?);
-- name: Q :execrows
UPDATE job SET worker = (@w := ?) WHERE id = ?;

-- case: question marks in strings and comments
-- name: Q :many
SELECT id FROM account WHERE NOT owner = '?' /* NOT owner = ? */ AND id = ?;

-- case: windows without a parameter
-- name: Q :many
SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM account WHERE balance > ?;

-- case: no query of sqlc
SELECT id FROM account WHERE NOT (balance = ?);
