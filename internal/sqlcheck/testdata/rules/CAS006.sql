-- What cannot be a version, and what looks like it.

-- case: nullable (schema)
CREATE TABLE a (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED DEFAULT 1 COMMENT 'sqlcas:version' -- want
);

-- case: explicit NULL (schema)
CREATE TABLE a (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NULL COMMENT 'sqlcas:version' -- want
);

-- case: NULL from the start (schema)
CREATE TABLE a (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED DEFAULT NULL COMMENT 'sqlcas:version' -- want
);

-- case: times (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  version DATETIME(6) NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE b (id INT NOT NULL PRIMARY KEY,
  version TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP COMMENT 'sqlcas:version' -- want
);
CREATE TABLE c (id INT NOT NULL PRIMARY KEY,
  version DATE NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE d (id INT NOT NULL PRIMARY KEY,
  version YEAR NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE e (id INT NOT NULL PRIMARY KEY,
  version TIME(3) NOT NULL COMMENT 'sqlcas:version' -- want
);

-- case: strings, whatever their collation (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  version VARCHAR(20) NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE b (id INT NOT NULL PRIMARY KEY,
  version CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE c (id INT NOT NULL PRIMARY KEY,
  version BINARY(16) NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE d (id INT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL COMMENT 'sqlcas:version' -- want
);

-- case: a bool by either name (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  version TINYINT(1) NOT NULL DEFAULT 1 COMMENT 'sqlcas:version' -- want
);
CREATE TABLE b (id INT NOT NULL PRIMARY KEY,
  version BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'sqlcas:version' -- want
);

-- case: numbers that are not whole, and no numbers (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  version DECIMAL(20,0) NOT NULL DEFAULT 1 COMMENT 'sqlcas:version' -- want
);
CREATE TABLE b (id INT NOT NULL PRIMARY KEY,
  version DOUBLE NOT NULL DEFAULT 1 COMMENT 'sqlcas:version' -- want
);
CREATE TABLE c (id INT NOT NULL PRIMARY KEY,
  version FLOAT NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE d (id INT NOT NULL PRIMARY KEY,
  version BIT(64) NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE e (id INT NOT NULL PRIMARY KEY,
  version JSON NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE f (id INT NOT NULL PRIMARY KEY,
  version ENUM('1', '2') NOT NULL COMMENT 'sqlcas:version' -- want
);
CREATE TABLE g (id INT NOT NULL PRIMARY KEY,
  version SET('1', '2') NOT NULL COMMENT 'sqlcas:version' -- want
);

-- case: generated (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  version BIGINT GENERATED ALWAYS AS (id + 1) STORED NOT NULL COMMENT 'sqlcas:version' -- want
);

-- case: AUTO_INCREMENT and SERIAL (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE COMMENT 'sqlcas:version' -- want
);
CREATE TABLE b (id INT NOT NULL PRIMARY KEY,
  version SERIAL COMMENT 'sqlcas:version' -- want
);

-- case: a part of the key (schema)
CREATE TABLE a (
  id INT NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version', -- want
  PRIMARY KEY (id, `VERSION`)
);

-- case: a part of the key since an ALTER (schema)
CREATE TABLE a (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version' -- want
);
ALTER TABLE a DROP PRIMARY KEY, ADD PRIMARY KEY (id, version);

-- case: two versions (schema)
CREATE TABLE a (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  rev BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version' -- want
);

-- case: a default that no row can start with (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL DEFAULT 1.5 COMMENT 'sqlcas:version' -- want
);
CREATE TABLE b (id INT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL DEFAULT (UUID_SHORT()) COMMENT 'sqlcas:version' -- want
);
CREATE TABLE c (id INT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL DEFAULT -1 COMMENT 'sqlcas:version' -- want
);
CREATE TABLE d (id INT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL DEFAULT 'one' COMMENT 'sqlcas:version' -- want
);

-- case: the type is wrong since a migration (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
ALTER TABLE a
  MODIFY COLUMN version TIMESTAMP(6) NOT NULL COMMENT 'sqlcas:version'; -- want

-- case: a column added without NOT NULL (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY);
ALTER TABLE a ADD COLUMN
  lock_version INT COMMENT 'sqlcas:version'; -- want

-- case: look-alike: the integers (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE b (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE c (id INT NOT NULL PRIMARY KEY, version MEDIUMINT UNSIGNED NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE d (id INT NOT NULL PRIMARY KEY, version TINYINT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE e (id INT NOT NULL PRIMARY KEY, version INT(11) NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE f (id INT NOT NULL PRIMARY KEY, version INTEGER NOT NULL COMMENT 'sqlcas:version');

-- case: look-alike: whole defaults, as they and as dumps are written (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version BIGINT NOT NULL DEFAULT '1' COMMENT 'sqlcas:version');
CREATE TABLE b (id INT NOT NULL PRIMARY KEY, version BIGINT NOT NULL DEFAULT 0 COMMENT 'sqlcas:version');
CREATE TABLE c (id INT NOT NULL PRIMARY KEY, version BIGINT NOT NULL DEFAULT (1) COMMENT 'sqlcas:version');

-- case: look-alike: called version, but no lock (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version TIMESTAMP NULL, version2 VARCHAR(20) COMMENT 'sqlcas version');

-- case: look-alike: the comment is the table's, or in a string or a comment (schema)
CREATE TABLE a (
  id INT NOT NULL PRIMARY KEY,
  -- version TIMESTAMP COMMENT 'sqlcas:version'
  note VARCHAR(80) NOT NULL DEFAULT 'COMMENT sqlcas:version' COMMENT 'not sqlcas:versions'
) COMMENT 'sqlcas:version';

-- case: look-alike: other columns are as they like (schema)
CREATE TABLE a (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  seen TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP,
  doubled INT AS (id * 2),
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);

-- case: look-alike: mended by a later migration (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version TIMESTAMP NULL COMMENT 'sqlcas:version');
ALTER TABLE a DROP COLUMN version, ADD COLUMN version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version';

-- case: look-alike: what goes down (schema)
-- +goose Up
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
-- +goose Down
ALTER TABLE a MODIFY version TIMESTAMP NULL COMMENT 'sqlcas:version';

-- case: look-alike: in a secondary index, and invisible (schema)
CREATE TABLE a (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 INVISIBLE COMMENT 'sqlcas:version',
  UNIQUE KEY id_version (id, version)
);

-- case: look-alike: the table is dropped (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version TIMESTAMP NULL COMMENT 'sqlcas:version');
DROP TABLE a;

-- case: a blank in the marker (schema)
CREATE TABLE t (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas: version' -- want
);

-- case: capitals in the marker (schema)
CREATE TABLE t (
  id INT NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'SQLCAS:VERSION' -- want
);

-- case: a comment that speaks of the tool (schema)
CREATE TABLE t (
  id INT NOT NULL PRIMARY KEY,
  note VARCHAR(9) NOT NULL COMMENT 'read by sqlcas in version 2'
);
