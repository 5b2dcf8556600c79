CREATE TABLE walks (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  steps   INT NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE runs (
  id              BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  STEPS           INT NOT NULL,
  version_steps_1 INT NOT NULL,
  version         BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
