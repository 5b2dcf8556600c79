CREATE TABLE keyless (n INT NOT NULL, version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE nullable_key (
  id      BIGINT,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);
CREATE TABLE float_key (id DOUBLE NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE bit_key (id BIT(8) NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE pointer_key (id BIGINT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE computed_key (
  a       INT NOT NULL,
  id      INT AS (a + 1) STORED NOT NULL PRIMARY KEY,
  version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE null_version (id INT NOT NULL PRIMARY KEY, version INT DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE time_version (id INT NOT NULL PRIMARY KEY, version DATETIME(6) NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE bool_version (id INT NOT NULL PRIMARY KEY, version TINYINT(1) NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE typed_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE key_version (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id, version));
CREATE TABLE zero_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT '0' COMMENT 'sqlcas:version');
CREATE TABLE twin_fields (id INT NOT NULL PRIMARY KEY, `a b` INT, a_b INT, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE nameless (id INT NOT NULL PRIMARY KEY, `__` INT, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE upserts (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 0 COMMENT 'sqlcas:version');
CREATE TABLE assigned (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE null_json (id INT NOT NULL PRIMARY KEY, doc JSON, told JSON NOT NULL, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE moving_key (id INT NOT NULL, at TIMESTAMP NOT NULL ON UPDATE CURRENT_TIMESTAMP, version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version', PRIMARY KEY (id, at));
CREATE TABLE Spans (id INT NOT NULL PRIMARY KEY, Told TIME NOT NULL, maybe TIME(3), version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
CREATE TABLE halves (
  id     INT NOT NULL PRIMARY KEY,
  tiny   TINYINT UNSIGNED,
  small  SMALLINT UNSIGNED,
  medium MEDIUMINT UNSIGNED,
  plain  INT UNSIGNED,
  big    BIGINT UNSIGNED,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE false_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT FALSE COMMENT 'sqlcas:version');
CREATE TABLE bit_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT b'0' COMMENT 'sqlcas:version');
CREATE TABLE hex_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 0x00 COMMENT 'sqlcas:version');
CREATE TABLE half_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 0.4 COMMENT 'sqlcas:version');
CREATE TABLE minus_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT -1 COMMENT 'sqlcas:version');
CREATE TABLE late_version (id INT NOT NULL PRIMARY KEY);
ALTER TABLE late_version ADD COLUMN version INT NOT NULL COMMENT 'sqlcas:version';
CREATE TABLE fresh_version (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE `two
lines` (id INT NOT NULL PRIMARY KEY, `a
b` INT, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
