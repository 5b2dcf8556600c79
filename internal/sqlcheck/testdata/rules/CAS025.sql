-- case: one slice (prepared)
-- name: Q :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids')); -- want

-- case: without quotes (prepared)
-- name: Q :many
SELECT id FROM account WHERE id IN (sqlc.slice(ids)); -- want

-- case: two slices (prepared)
-- name: Q :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids')) -- want
  AND owner IN (sqlc.slice('owners')); -- want

-- case: blanks in it (prepared)
-- name: Q :many
SELECT id FROM account WHERE id IN (sqlc . slice ( 'ids' )); -- want

-- case: in an UPDATE (prepared)
-- name: Q :execrows
UPDATE job SET worker = ? WHERE id IN (sqlc.slice('ids')); -- want

-- case: in a DELETE (prepared)
-- name: Q :execrows
DELETE FROM job WHERE id IN (sqlc.slice('ids')); -- want

-- case: in a subquery (prepared)
-- name: Q :many
SELECT id FROM account WHERE id IN (SELECT account_id FROM ledger_entry
  WHERE amount IN (sqlc.slice('amounts'))); -- want

-- case: NOT IN, the second query (prepared)
-- name: P :many
SELECT id FROM account WHERE id = ?;
-- name: Q :many
SELECT id FROM account WHERE id NOT IN (sqlc.slice('ids')); -- want

-- case: not prepared
-- name: Q :many
SELECT id FROM account WHERE id IN (sqlc.slice('ids'));

-- case: not prepared, in an UPDATE
-- name: Q :execrows
UPDATE job SET worker = ? WHERE id IN (sqlc.slice('ids'));

-- case: other macros (prepared)
-- name: Q :many
SELECT id FROM account WHERE id = sqlc.arg(slice) AND owner = sqlc.narg(owner);

-- case: a fixed list (prepared)
-- name: Q :many
SELECT id FROM account WHERE id IN (?, ?);

-- case: in a string (prepared)
-- name: Q :many
SELECT id FROM account WHERE owner = 'sqlc.slice(''ids'')' AND id = ?;

-- case: in comments (prepared)
-- name: Q :many
-- It was IN (sqlc.slice('ids')) once.
SELECT id FROM account WHERE id = ? /* sqlc.slice('ids') */;

-- case: a function and a column of that name (prepared)
-- name: Q :many
SELECT slice(owner) AS slice FROM account WHERE id = ?;

-- case: no query of sqlc (prepared)
SELECT id FROM account WHERE id IN (sqlc.slice('ids'));
