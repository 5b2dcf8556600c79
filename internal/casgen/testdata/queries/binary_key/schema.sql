CREATE TABLE devices (
  device_id BINARY(16)   NOT NULL PRIMARY KEY,
  token     VARBINARY(32),
  label     TEXT,
  settings  JSON NOT NULL,
  photo     MEDIUMBLOB,
  version   BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
