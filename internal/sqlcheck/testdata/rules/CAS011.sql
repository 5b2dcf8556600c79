-- case: replace
-- name: A :execrows
REPLACE INTO
  account (id, owner, balance) -- want
VALUES (?, ?, ?);
-- name: B :execrows
REPLACE
  account -- want
SET id = ?, owner = ?, balance = ?;

-- case: replace by a query
-- name: A :execrows
REPLACE INTO
  account (id, owner, balance) -- want
SELECT id, owner, 0 FROM account WHERE id = ?;

-- case: on duplicate key
-- name: A :execrows
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE
  balance = VALUES(balance); -- want

-- case: on duplicate key, with the version moved
-- name: A :execrows
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE version = version,
  balance = ?, -- want
  version = version + 1;

-- case: a version compared by hand
-- name: A :execrows
INSERT INTO account (id, owner, balance, version) VALUES (?, ?, ?, ?)
ON DUPLICATE KEY UPDATE
  balance = IF(version = VALUES(version), VALUES(balance), balance); -- want

-- case: from a query
-- name: A :execrows
INSERT INTO account (id, owner, balance) SELECT e.account_id, 'x', e.amount FROM ledger_entry e
ON DUPLICATE KEY UPDATE
  balance = e.amount; -- want

-- case: a row alias
-- name: A :execrows
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?) AS new
ON DUPLICATE KEY UPDATE
  balance = new.balance; -- want

-- case: the new id
-- name: A :execrows
INSERT INTO customer (tenant_id, email) VALUES (?, ?)
ON DUPLICATE KEY UPDATE
  id = VALUES(id); -- want

-- case: set form, other names, other database
-- name: A :execrows
INSERT INTO shop.`order` SET `id` = ?, `key` = ?, `group` = ?
ON DUPLICATE KEY UPDATE
  `group` = ?; -- want

-- case: load data
LOAD DATA LOCAL INFILE 'accounts.tsv' REPLACE INTO TABLE
  account; -- want

-- case: insert
-- name: A :execlastid
INSERT INTO account (owner, balance) VALUES (?, ?);

-- case: ignore
-- name: A :execrows
INSERT IGNORE INTO account (id, owner, balance) VALUES (?, ?, ?);

-- case: nothing is changed
-- name: A :execrows
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE id = id;
-- name: B :execrows
INSERT INTO account (id, owner, balance) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE id = account.id, `balance` = (BALANCE);

-- case: asks for the id of the row that is there
-- name: A :execlastid
INSERT INTO customer (tenant_id, email) VALUES (?, ?) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id);

-- case: the REPLACE function
-- name: A :exec
INSERT INTO account (owner, balance) VALUES (REPLACE(?, 'a', 'b'), 0);
-- name: B :execrows
UPDATE account SET owner = REPLACE(owner, 'a', 'b'), version = version + 1 WHERE id = ? AND version = ?;

-- case: not versioned, or not known
-- name: A :execrows
REPLACE INTO document (id, title, version) VALUES (?, ?, ?);
-- name: B :execrows
INSERT INTO job (id, status, run_at) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE status = VALUES(status);
-- name: C :execrows
REPLACE INTO account_archive (id) VALUES (?);

-- case: the versioned table is only read
-- name: A :execrows
REPLACE INTO document (id, title, version) SELECT id, owner, version FROM account;
-- name: B :execrows
INSERT INTO job (id, status, run_at) SELECT a.id, 'P', NOW() FROM account a ON DUPLICATE KEY UPDATE status = 'P';

-- case: strings, comments
-- name: A :exec
INSERT INTO audit_log (at, message) VALUES (NOW(), 'REPLACE INTO account (id) VALUES (1)');
-- name: B :exec
INSERT INTO account (owner, balance) VALUES ('ON DUPLICATE KEY UPDATE balance = 0', ?) /* ON DUPLICATE KEY UPDATE balance = 0 */;

-- case: load data that keeps what is there
LOAD DATA LOCAL INFILE 'accounts.tsv' IGNORE INTO TABLE account;
LOAD DATA LOCAL INFILE 'accounts.tsv' INTO TABLE account;
LOAD DATA LOCAL INFILE 'jobs.tsv' REPLACE INTO TABLE job;

-- case: through a view
-- name: A :exec
REPLACE INTO named_account (no, name, rev) VALUES (?, ?, 1); -- want
-- name: B :exec
INSERT INTO rich_account (id, balance) VALUES (?, ?) ON DUPLICATE KEY UPDATE
  balance = VALUES(balance); -- want

-- case: through a view, without a change
-- name: A :exec
INSERT INTO rich_account (id, balance) VALUES (?, ?) ON DUPLICATE KEY UPDATE id = id;
-- name: B :exec
REPLACE INTO due_job (id, status) VALUES (?, ?);

-- case: it compares the version by IF() or CASE
-- name: A :exec
INSERT INTO account (id, owner, version) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE
  owner = IF(version = VALUES(version), VALUES(owner), owner), version = IF(version = VALUES(version), version + 1, version); -- want
-- name: B :exec
INSERT INTO account (id, owner, version) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE
  owner = CASE WHEN version = VALUES(version) THEN VALUES(owner) ELSE owner END; -- want
