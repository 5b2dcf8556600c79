-- case: twice
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(word)
  OR owner LIKE sqlc.arg(word); -- want

-- case: three times
-- name: Q :many
SELECT id FROM customer WHERE email = sqlc.arg(word)
  OR email LIKE sqlc.arg(word) -- want
  OR phone <=> sqlc.arg(word);

-- case: arg and narg of one name
-- name: Q :many
SELECT id FROM account WHERE sqlc.narg(owner) IS NULL
  OR owner = sqlc.arg(owner); -- want

-- case: optional filter
-- name: Q :many
SELECT id FROM account WHERE sqlc.narg(owner) IS NULL
  OR owner = sqlc.narg(owner); -- want

-- case: with and without quotes
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg('word')
  OR owner LIKE sqlc.arg(word); -- want

-- case: an UPDATE
-- name: Q :execrows
UPDATE job SET worker = sqlc.arg(worker)
WHERE worker <> sqlc.arg(worker); -- want

-- case: an INSERT
-- name: Q :exec
INSERT INTO audit_log (at, message) VALUES (NOW(6), sqlc.arg(message)),
  (NOW(6), sqlc.arg(message)); -- want

-- case: a reserved word as a name
-- name: Q :many
SELECT id FROM job WHERE run_at < sqlc.arg(before)
  AND run_at <> sqlc.arg(before); -- want

-- case: once
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(word);

-- case: another one beside it
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(word) OR owner LIKE sqlc.arg(word) OR id = sqlc.arg(id);

-- case: two question marks
-- name: Q :many
SELECT id FROM account WHERE owner = ? OR owner LIKE ?;

-- case: a question mark beside it
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(word) OR owner LIKE sqlc.arg(word) LIMIT ?;

-- case: the second is in a string
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(word) OR owner = 'sqlc.arg(word)';

-- case: the second is in a comment
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(word) /* OR owner LIKE sqlc.arg(word) */;

-- case: names that differ
-- name: Q :many
SELECT id FROM account WHERE owner = sqlc.arg(word) OR owner LIKE sqlc.arg(words);

-- case: two queries
-- name: P :many
SELECT id FROM account WHERE owner = sqlc.arg(word);
-- name: Q :many
SELECT id FROM account WHERE owner LIKE sqlc.arg(word);

-- case: no parameter
-- name: Q :many
SELECT id FROM account WHERE owner = owner;

-- case: no query of sqlc
SELECT id FROM account WHERE owner = sqlc.arg(word) OR owner LIKE sqlc.arg(word);
