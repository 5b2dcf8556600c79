CREATE TABLE draft (id INT NOT NULL, state ENUM('open', 'shut') NOT NULL, labels SET('a', 'b'), version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version', PRIMARY KEY (id, state));
CREATE TABLE copy LIKE draft;
CREATE TABLE former (stage ENUM('first', 'last') NOT NULL PRIMARY KEY, mood ENUM('good', 'bad') NOT NULL, version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');
RENAME TABLE former TO latter;
ALTER TABLE latter RENAME COLUMN mood TO temper;
CREATE TABLE shift (
  id     INT NOT NULL PRIMARY KEY,
  starts TIME NOT NULL,
  ends   TIME,
  founded YEAR,
  few    SMALLINT UNSIGNED,
  some   INT UNSIGNED,
  many   BIGINT UNSIGNED,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE tag (
  code    VARCHAR(20) NOT NULL PRIMARY KEY,
  created DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
