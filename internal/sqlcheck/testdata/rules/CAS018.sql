-- case: zero
-- name: A :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, ?,
  0); -- want

-- case: null
-- name: A :execlastid
INSERT INTO account (owner, version, balance) VALUES (?,
  NULL, ?); -- want

-- case: two
-- name: A :execlastid
INSERT INTO account (version, owner, balance) VALUES (
  2, ?, ?); -- want

-- case: set form
-- name: A :execlastid
INSERT INTO account SET owner = ?, balance = ?,
  version = 0; -- want

-- case: one of several rows, said once
-- name: A :exec
INSERT INTO account (owner, balance, version) VALUES ('a', 1, 1),
  ('b', 1, 0), -- want
  ('c', 1, DEFAULT),
  ('d', 1, -1);

-- case: selected
-- name: A :exec
INSERT INTO account (owner, balance, version) SELECT owner, balance,
  0 -- want
FROM account WHERE id = ?;

-- case: in a query of rows and of two sides
-- name: A :exec
INSERT INTO account (owner, version) VALUES ROW('a', 1), ROW('b',
  0); -- want
-- name: B :exec
INSERT INTO account (owner, version) SELECT 'a', 1 UNION ALL (SELECT 'b',
  2) -- want
UNION ALL SELECT 'c',
  0;

-- case: no list of columns
-- name: A :exec
INSERT INTO account VALUES (7, ?, ?,
  0); -- want

-- case: in brackets, with a sign, in quotes, a fraction
-- name: A :exec
INSERT INTO account (owner, balance, version) VALUES ('a', 1,
  (0)); -- want
-- name: B :exec
INSERT INTO account (owner, balance, version) VALUES ('b', 1,
  +2); -- want
-- name: C :exec
INSERT INTO account (owner, balance, version) VALUES ('c', 1,
  '0'); -- want
-- name: D :exec
INSERT INTO account (owner, balance, version) VALUES ('d', 1,
  1.5); -- want

-- case: other names
-- name: A :exec
INSERT INTO customer (tenant_id, email, Lock_Version) VALUES (?, ?,
  0); -- want
-- name: B :exec
INSERT INTO `order` (`version`, `id`, `key`, `group`) VALUES (
  0, ?, ?, ?); -- want

-- case: ignore and on duplicate key
-- name: A :exec
INSERT IGNORE INTO account (owner, balance, version) VALUES (?, ?,
  0) -- want
ON DUPLICATE KEY UPDATE id = id;

-- case: not named
-- name: A :execlastid
INSERT INTO account (owner, balance) VALUES (?, 0);

-- case: one
-- name: A :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, 0, 1);
-- name: B :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, 0, (1)), (?, 0, +1), (?, 0, '1');

-- case: the default
-- name: A :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, 0, DEFAULT);
-- name: B :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, 0, DEFAULT(version));

-- case: a parameter, an expression
-- name: A :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, 0, ?), (?, 0, sqlc.arg(version));
-- name: B :execlastid
INSERT INTO account (owner, balance, version) VALUES (?, 0, ? + 1);

-- case: copied from another row
-- name: A :exec
INSERT INTO account (owner, balance, version) SELECT owner, 0, version FROM account WHERE id = ?;
-- name: B :exec
INSERT INTO account SELECT * FROM account WHERE id = 0;
-- name: C :exec
INSERT INTO account (id, owner, balance, version) SELECT a.*, 0 FROM account a UNION SELECT 1, 'b', 0, ?;
-- name: D :exec
INSERT INTO account TABLE account;

-- case: a table whose column is merely called version
-- name: A :exec
INSERT INTO document (title, version) VALUES (?, 0);

-- case: not known
-- name: A :exec
INSERT INTO account_archive (id, version) VALUES (?, 0);

-- case: another column at the place
-- name: A :exec
INSERT INTO account (owner, version, balance) VALUES (?, 1, 0);
-- name: B :exec
INSERT INTO account VALUES (0, 'version', 0, 1);

-- case: strings and comments
-- name: A :exec
INSERT INTO audit_log (at, message) VALUES (NOW(), 'INSERT INTO account (version) VALUES (0)') /* version = 0 */;

-- case: an UPDATE, which CAS003 is about
-- name: A :execrows
UPDATE account SET version = 0 WHERE id = ? AND version = ?;
-- name: B :execrows
REPLACE INTO account (owner, balance, version) VALUES (?, 0, 0);
