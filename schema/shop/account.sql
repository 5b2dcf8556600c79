-- account: what an owner has. It is the row that the README's ten lines change.
--
-- One file holds one statement and no more: package schema hands each file to the server as it is,
-- and a connection without multiStatements=true takes one statement at a time. Files run in the
-- order of their names; a table is named after those that its foreign keys point to.
--
-- Every column says NOT NULL itself, the key too: sqlc reads nullability from the column, not from
-- a table-level key.
CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  owner   VARCHAR(64)     NOT NULL,
  -- Minor units (cents): whole numbers add up exactly, and DECIMAL would arrive in Go as a string.
  -- Signed, and without CHECK (balance >= 0), on purpose: whether an account may be overdrawn is
  -- for the closure to decide, and a lost update must show up in the sums instead of being refused
  -- by the server.
  balance BIGINT          NOT NULL COMMENT 'minor units (cents)',
  -- The comment is what makes this column a lock; the name alone does not. It starts at 1, so that
  -- a Go value with version 0 was never read. Unsigned, so that it never turns negative; it only
  -- ever moves up, by every UPDATE.
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='Account is what an owner has.';
