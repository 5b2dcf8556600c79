CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  owner   VARCHAR(64)     NOT NULL,
  balance BIGINT          NOT NULL COMMENT 'minor units (cents)',
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE inventory (
  product_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  name       VARCHAR(80)     NOT NULL,
  on_hand    BIGINT          NOT NULL,
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE ledger_entry (
  id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  account_id BIGINT UNSIGNED NOT NULL,
  amount     BIGINT          NOT NULL
);
