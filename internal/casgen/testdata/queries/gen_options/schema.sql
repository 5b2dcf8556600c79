CREATE TABLE data (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  err     BIGINT NOT NULL,
  failure INT,
  row_id  BINARY(16) NOT NULL,
  amount  DECIMAL(10,2),
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
