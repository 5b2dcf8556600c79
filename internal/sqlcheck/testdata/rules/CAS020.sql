-- case: second statement
-- name: Get :one
SELECT id FROM account WHERE id = ?;
SELECT owner FROM account WHERE id = ?; -- want

-- case: third statement too
-- name: Get :one
SELECT id FROM account WHERE id = ?;
INSERT INTO audit_log (at, message) VALUES (?, ?); -- want

INSERT INTO audit_log (at, message) VALUES (NOW(6), ?); -- want

-- case: after a comment
-- name: Get :one
SELECT id FROM account WHERE id = ?;
-- And the owner:
SELECT owner FROM account WHERE id = ?; -- want

-- case: the name is indented
-- name: Get :one
SELECT id FROM account WHERE id = ?;
  -- name: Owner :one
SELECT owner FROM account WHERE id = ?; -- want

-- case: the name is behind the semicolon
-- name: Get :one
SELECT id FROM account WHERE id = ?; -- name: Owner :one
SELECT owner FROM account WHERE id = ?; -- want

-- case: a name without a command
-- name: Get :one
SELECT id FROM account WHERE id = ?;
-- name: Owner
SELECT owner FROM account WHERE id = ?; -- want

-- case: one name twice
-- name: Get :one
SELECT id FROM account WHERE id = ?;

-- name: Get :one -- want
SELECT owner FROM account WHERE id = ?;

-- case: one name three times
-- name: Get :one
SELECT id FROM account WHERE id = ?;
/* name: Get :many */ -- want
SELECT owner FROM account;
# name: Get :many -- want
SELECT owner FROM account;

-- case: DELETE after INSERT on one line
-- name: Move :exec
INSERT INTO audit_log (at, message) VALUES (?, ?); DELETE FROM job WHERE id = ?; -- want

-- case: a second name in the same block is none
-- name: A :one
-- name: B :one
SELECT id FROM account WHERE id = ?;
SELECT owner FROM account WHERE id = ?; -- want

-- case: one statement to a name
-- name: Get :one
SELECT id FROM account WHERE id = ?;
-- name: Owner :one
SELECT owner FROM account WHERE id = ?;

-- case: a semicolon in a string
-- name: Get :one
SELECT id FROM account WHERE owner = 'a; SELECT owner FROM account';

-- case: a semicolon in comments
-- name: Get :one
-- First this; then that.
SELECT id /* ; SELECT 1 */ FROM account WHERE id = ?;

-- case: a stray semicolon
-- name: Get :one
SELECT id FROM account WHERE id = ?;;

-- case: names that differ in case
-- name: Get :one
SELECT id FROM account WHERE id = ?;
-- name: GET :one
SELECT id FROM account WHERE id = ?;

-- case: a subquery
-- name: Get :one
SELECT id FROM account WHERE id = (SELECT MIN(id) FROM account);

-- case: UNION
-- name: Get :many
SELECT id FROM account UNION SELECT id FROM job;

-- case: other comments
/* name: Get :one */
SELECT id FROM account WHERE id = ?;
# name: Owner :one
SELECT owner FROM account WHERE id = ?;

-- case: what sqlc drops anyway is CAS021
-- name: Get :one
SELECT id FROM account WHERE id = ?;
COMMIT;

-- case: no query of sqlc
SELECT id FROM account WHERE id = 1;
SELECT owner FROM account WHERE id = 1;
