CREATE TABLE account (
  id      BIGINT UNSIGNED,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);
