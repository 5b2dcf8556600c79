CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  owner   VARCHAR(64)     NOT NULL,
  balance BIGINT          NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  KEY account_owner (owner)
) COMMENT 'Account is what an owner has.';
