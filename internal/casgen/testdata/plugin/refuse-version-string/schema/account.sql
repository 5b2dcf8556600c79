CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  version VARCHAR(36) NOT NULL COMMENT 'sqlcas:version'
);
