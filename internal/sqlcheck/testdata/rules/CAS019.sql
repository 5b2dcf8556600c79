-- case: literal beside it
-- name: Q :many
SELECT id FROM account
WHERE balance = ? + 1; -- want

-- case: named, arithmetic in SET
-- name: Q :execrows
UPDATE account SET
  balance = sqlc.arg(amount) + 1, -- want
  version = version + 1 WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- case: in brackets, the column is outside of them
-- name: Q :many
SELECT id FROM account WHERE
  balance - (? + 1) > 0 -- want
  AND owner = ?;

-- case: two parameters
-- name: Q :many
SELECT id FROM account WHERE
  sqlc.arg(a) = -- want
  sqlc.arg(b); -- want

-- case: compared with a function of no column
-- name: Q :many
SELECT id FROM job WHERE
  NOW() > ?; -- want

-- case: interval
-- name: Q :many
SELECT id FROM job WHERE
  run_at < NOW() - INTERVAL ? DAY; -- want

-- case: DATE_SUB
-- name: Q :many
SELECT id FROM job WHERE run_at <
  DATE_SUB(NOW(), INTERVAL sqlc.arg(age) SECOND); -- want

-- case: CONCAT
-- name: Q :many
SELECT id FROM account WHERE owner LIKE
  CONCAT(sqlc.arg(prefix), '%'); -- want

-- case: IF and GREATEST
-- name: Q :exec
UPDATE job SET
  worker = IF(?, worker, 'none'), -- want
  status = GREATEST(status, ?) -- want
WHERE id = ?;

-- case: on its own
-- name: Q :many
SELECT id FROM account WHERE
  ? -- want
  OR owner = 'alice';

-- case: inserted by way of COALESCE
-- name: Q :exec
INSERT INTO audit_log (at, message) VALUES (NOW(6),
  COALESCE(?, 'none')); -- want

-- case: only the optional one has no type
-- name: Q :many
SELECT id FROM account WHERE
  (sqlc.narg(a) IS NULL -- want
  OR owner = sqlc.narg(b));

-- case: a user's own count
-- name: Q :many
SELECT owner FROM account GROUP BY owner
HAVING COUNT(*) > ?; -- want

-- case: compared with a column
-- name: Q :many
SELECT id FROM account WHERE ? < balance AND owner LIKE ? AND version <> ?;

-- case: added to a column, from either side
-- name: Q :execrows
UPDATE account SET balance = ? + balance, version = version + ? WHERE id = ? AND version = ?;

-- case: the column is deeper
-- name: Q :many
SELECT id FROM account WHERE ABS(balance - 1) < ? AND id % 4 = ?;

-- case: CAST
-- name: Q :many
SELECT id FROM account WHERE balance = CAST(? AS SIGNED) + 1 AND owner <> CAST(sqlc.arg(x) AS CHAR);

-- case: VALUES and SET with columns
-- name: Q :exec
INSERT INTO ledger_entry (account_id, amount, memo) VALUES (?, ?, ?), (?, ?, (?));

-- case: CASE in SET has the column's type
-- name: Q :exec
UPDATE job SET worker = CASE WHEN status = ? THEN ? ELSE COALESCE(?, 'none') END WHERE id = ?;

-- case: LIMIT and OFFSET
-- name: Q :many
SELECT id FROM account ORDER BY id LIMIT ? OFFSET ?;

-- case: typed at another place
-- name: Q :many
SELECT id FROM account WHERE (sqlc.narg(owner) IS NULL OR owner = sqlc.narg(owner));

-- case: BETWEEN, IN and a slice
-- name: Q :many
SELECT id FROM account WHERE balance BETWEEN ? AND ? AND id IN (?, ?) AND version IN (sqlc.slice('versions'));

-- case: function with typed arguments
-- name: Q :many
SELECT id FROM account WHERE UPPER(?) = 'X' AND FIELD(owner, ?) > 0 AND DATE_ADD(?, INTERVAL 1 DAY) < NOW();

-- case: in a string and in a comment
-- name: Q :many
-- ? + 1
SELECT id FROM account WHERE owner = '? + 1' /* ? + 1 */;

-- case: a subquery's column gives the type
-- name: Q :many
SELECT id FROM account WHERE ? = (SELECT MIN(amount) FROM ledger_entry);

-- case: no query of sqlc
SELECT id FROM account WHERE balance = ? + 1;
