-- case: SET
-- name: Names :exec
SET NAMES utf8mb4; -- want

-- case: a transaction in a query file
-- name: Begin :exec
START TRANSACTION; -- want
-- name: Commit :exec
COMMIT; -- want
-- name: Rollback :exec
ROLLBACK; -- want

-- case: BEGIN and SAVEPOINT
-- name: Begin :exec
BEGIN; -- want
-- name: Save :exec
SAVEPOINT a; -- want

-- case: LOCK TABLES
-- name: Lock :exec
LOCK TABLES account WRITE; -- want
-- name: Unlock :exec
UNLOCK TABLES; -- want

-- case: DO
-- name: Sleep :exec
DO SLEEP(1); -- want

-- case: in the block of another
-- name: Move :execrows
UPDATE job SET worker = NULL WHERE id = ?;
COMMIT; -- want

-- case: without a name, before the first
SET SESSION innodb_lock_wait_timeout = 1; -- want
-- name: Get :one
SELECT id FROM account WHERE id = ?;

-- case: a query without a name, before the first
SELECT owner FROM account WHERE id = ?; -- want
-- name: Get :one
SELECT id FROM account WHERE id = ?;

-- case: lower case, after a comment
-- name: Names :exec
-- Names sets names.
set names utf8mb4; -- want

-- case: CREATE INDEX, SHOW, EXPLAIN
-- name: A :exec
CREATE INDEX i ON account (owner); -- want
-- name: B :many
SHOW TABLES; -- want
-- name: C :many
EXPLAIN SELECT id FROM account; -- want

-- case: UPDATE ... SET
-- name: Set :execrows
UPDATE job SET worker = ? WHERE id = ?;

-- case: words in strings and comments
-- name: Get :one
-- START TRANSACTION; SET NAMES utf8mb4;
SELECT id FROM account WHERE owner = 'COMMIT; ROLLBACK;' /* LOCK TABLES account WRITE; */;

-- case: a query named after one
-- name: Commit :execrows
UPDATE job SET status = 'C' WHERE id = ?;

-- case: columns of that name
-- name: Get :one
SELECT id AS `commit`, status AS `lock` FROM job WHERE id = ?;

-- case: CALL
-- name: Call :exec
CALL settle(?);

-- case: TRUNCATE
-- name: Clear :exec
TRUNCATE TABLE audit_log;

-- case: LOCK IN SHARE MODE
-- name: Get :one
SELECT id FROM account WHERE id = ? LOCK IN SHARE MODE;

-- case: INSERT ... SET
-- name: Add :exec
INSERT INTO audit_log SET at = ?, message = ?;

-- case: WITH
-- name: Get :many
WITH a AS (SELECT id FROM account) SELECT id FROM a;

-- case: a script without any query
SET NAMES utf8mb4;
START TRANSACTION;
SELECT id FROM account WHERE id = 1;
COMMIT;
