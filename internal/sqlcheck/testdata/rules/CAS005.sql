-- case: equality with parameters
-- name: A :one
SELECT balance FROM account
WHERE (id, owner) = (?, ?); -- want
-- name: B :one
SELECT balance FROM account
WHERE (id, owner) = (sqlc.arg(id), sqlc.arg(owner)); -- want

-- case: a list with parameters
-- name: A :many
SELECT balance FROM account
WHERE (id, owner) IN ((?, ?), (?, ?)); -- want
-- name: B :many
SELECT balance FROM account
WHERE (id, owner) NOT IN ((1, ?)); -- want

-- case: the version in a list
-- name: A :execrows
DELETE FROM account
WHERE (id, version) IN ((?, ?), (?, ?)); -- want

-- case: the version in a list of literals
-- name: A :execrows
DELETE FROM account
WHERE (id, version) IN ((1, 7), (2, 9)); -- want

-- case: the version in a list, not a query of sqlc
UPDATE account SET balance = 0, version = version + 1
WHERE (id, version) IN ((?, ?), (?, ?)); -- want

-- case: ROW
-- name: A :one
SELECT balance FROM account
WHERE ROW(id, owner) = ROW(?, ?); -- want

-- case: an order of pages
-- name: A :many
SELECT id FROM account
WHERE (owner, id) > (sqlc.arg(owner), sqlc.arg(id)) -- want
ORDER BY owner, id;

-- case: below OR, in brackets, in the condition of a join
-- name: A :many
SELECT a.id FROM account a
JOIN inventory i ON i.product_id = a.id
WHERE a.owner = ?
  OR ((a.id, i.name) = (?, ?)); -- want
-- name: B :many
SELECT a.id FROM account a JOIN inventory i
  ON (i.product_id, i.name) = (a.id, ?); -- want

-- case: in a subquery
-- name: A :many
SELECT id FROM account WHERE id IN (
  SELECT account_id FROM ledger_entry
  WHERE (amount, memo) = (?, ?)); -- want

-- case: a row with a parameter and a subquery
-- name: A :many
SELECT id FROM account
WHERE (id, sqlc.arg(owner)) IN (SELECT account_id, memo FROM ledger_entry); -- want

-- case: null-safe and unequal
-- name: A :many
SELECT id FROM account
WHERE (id, owner) <=> (?, ?); -- want
-- name: B :many
SELECT id FROM account
WHERE (id, owner) <> (?, 'x'); -- want

-- case: the version by its alias, by another name, by a subquery
-- name: A :execrows
UPDATE account a SET a.balance = 0, a.version = a.version + 1
WHERE (a.id, a.version) IN (SELECT 1, 7); -- want
-- name: B :execrows
DELETE FROM customer
WHERE (id, lock_version) = (1, 7); -- want

-- case: column by column
-- name: A :execrows
DELETE FROM account WHERE id = ? AND version = ?;

-- case: one value in brackets is no row
-- name: A :many
SELECT id FROM account WHERE (id) = (?) AND (owner) IN ((?), (?));
-- name: B :execrows
DELETE FROM account WHERE (id) = (?) AND (version) = (?);

-- case: rows that are inserted
-- name: A :exec
INSERT INTO account (owner, balance) VALUES (?, ?), (?, ?);

-- case: arguments of a function
-- name: A :many
SELECT id FROM account WHERE COALESCE(owner, memo) = CONCAT(?, ?);
-- name: B :many
SELECT id FROM account WHERE id IN (?, ?) AND balance BETWEEN (?) AND (?);

-- case: rows without a parameter and without a version
-- name: A :many
SELECT id FROM account WHERE (id, owner) IN ((1, 'a'), (2, 'b')) AND balance > ?;
-- name: B :many
SELECT id FROM account WHERE (id, owner) IN (SELECT account_id, memo FROM ledger_entry WHERE amount = ?);

-- case: rows without a version in a write of a versioned table
-- name: A :execrows
DELETE FROM account WHERE (id, owner) IN ((1, 'a'), (2, 'b')) AND version = ?;
-- name: B :execrows
DELETE a FROM account a JOIN document d ON d.id = a.id WHERE (a.id, d.version) = (1, 2) AND a.version = ?;

-- case: parameters of Go code, which get through
SELECT balance FROM account WHERE (id, owner) = (?, ?);
DELETE FROM ledger_entry WHERE (account_id, amount) IN ((?, ?), (?, ?));

-- case: a version that is read, not written
SELECT id FROM account WHERE (id, version) IN ((1, 7), (2, 9));
DELETE FROM ledger_entry WHERE (account_id, amount) IN (SELECT id, version FROM account);

-- case: a column that is merely called version
-- name: A :execrows
DELETE FROM document WHERE (id, version) IN ((1, 7), (2, 9));
-- name: B :execrows
UPDATE document d JOIN account a ON a.id = d.id SET d.title = a.owner WHERE (d.id, d.version) = (1, 7);

-- case: in strings and comments
-- name: A :one
SELECT id FROM account WHERE owner = '(id, version) = (?, ?)' /* (id, version) IN ((?, ?)) */ AND id = ?;

-- case: keys and partitions are no comparison
-- name: A :execrows
UPDATE order_line SET quantity = (quantity + ?), version = (version + 1) WHERE ((order_id = ?) AND (line_no = ?)) AND ((version = ?));
