CREATE TABLE documents (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title   VARCHAR(200) NOT NULL,
  body    LONGBLOB NOT NULL,
  words   INT AS (LENGTH(title)) STORED,
  state   ENUM('draft', 'published') NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
