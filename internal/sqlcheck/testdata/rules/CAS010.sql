-- case: in place of a parameter
-- name: A :execrows
DELETE FROM account
WHERE id = @id -- want
  AND version = @version; -- want

-- case: a read
-- name: A :one
SELECT balance FROM account
WHERE id = @id; -- want

-- case: assigned in SET
-- name: A :execrows
UPDATE account SET
  balance = (@v := balance - ?), -- want
  version = version + 1
WHERE id = ? AND version = ?;

-- case: assigned in a SELECT
-- name: A :many
SELECT
  @n := @n + 1, -- want
  id FROM account;

-- case: values of an INSERT
-- name: A :exec
INSERT INTO account (owner, balance) VALUES
  (@owner, ?); -- want

-- case: on duplicate key
-- name: A :exec
INSERT INTO audit_log (at, message) VALUES (NOW(), ?) ON DUPLICATE KEY UPDATE
  message = @message; -- want

-- case: in quotes of three kinds
-- name: A :many
SELECT id FROM account WHERE id = ?
  AND owner = @`a b` -- want
  AND balance = @'b' -- want
  AND version = @"c"; -- want

-- case: in a subquery, a CTE, an order
-- name: A :many
WITH x AS (SELECT account_id FROM ledger_entry
  WHERE amount > @least) -- want
SELECT id FROM account WHERE id IN (SELECT account_id FROM x
  WHERE account_id <> @not) -- want
ORDER BY
  @column; -- want

-- case: writes and locking reads that are no query of sqlc
UPDATE account SET balance = @b, -- want
  version = version + 1
WHERE id = 1 AND version = 1;
DELETE FROM ledger_entry
WHERE id = @id; -- want
INSERT INTO audit_log (at, message) VALUES (NOW(),
  @message); -- want
SELECT id FROM account
WHERE id = @id -- want
FOR UPDATE;

-- case: beside a system variable
-- name: A :one
SELECT @@session.time_zone,
  @zone; -- want

-- case: arguments
-- name: A :execrows
DELETE FROM account WHERE id = sqlc.arg(id) AND version = ?;

-- case: system variables
-- name: A :one
SELECT @@version, @@session.sql_mode, @@GLOBAL.max_connections;
-- name: B :execrows
DELETE FROM ledger_entry WHERE id = ? AND created_at < NOW() - INTERVAL @@session.wait_timeout SECOND;

-- case: in strings and comments
-- name: A :many
-- @cas is a mark, @id is none of ours
SELECT id FROM account /* WHERE id = @id */ WHERE owner = 'a@b' OR owner = '@id' OR owner = "@id"; # @id

-- case: an address
-- name: A :many
SELECT id FROM customer WHERE email LIKE '%@example.org' OR email = CONCAT(?, '@', ?);

-- case: a name with the sign in it
-- name: A :many
SELECT id AS `@id`, owner AS `a@b` FROM account;

-- case: reads that are no query of sqlc
SELECT @x;
SELECT @n := @n + 1, id FROM account;
SELECT id FROM account WHERE id = @id;

-- case: a session's own business
SET @x = 1;
SET @@session.time_zone = '+00:00', @y = 2;
PREPARE p FROM @x;

-- case: what a load reads into
LOAD DATA INFILE 'f' INTO TABLE audit_log (@a, message) SET at = @a;

-- case: an account of the server
CREATE USER 'app'@'localhost';
GRANT SELECT ON shop.* TO app@localhost;

-- case: a locking read without one
SELECT id FROM account WHERE owner = '@id' AND id = 1 FOR UPDATE;
