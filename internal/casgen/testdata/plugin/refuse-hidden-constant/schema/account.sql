CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  owner   VARCHAR(64)     NOT NULL,
  credit  BIGINT,
  balance BIGINT          NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
