CREATE TABLE queue (
  i       BIGINT NOT NULL PRIMARY KEY,
  payload TEXT,
  version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
