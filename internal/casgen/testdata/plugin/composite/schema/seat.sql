CREATE TABLE seats (
  flight       INT UNSIGNED NOT NULL,
  seat         BINARY(3) NOT NULL,
  code         VARBINARY(20) NOT NULL,
  day          DATE NOT NULL,
  state        ENUM('free', 'taken') NOT NULL,
  holder       ENUM('agent', 'guest'),
  notes        JSON,
  picture      BLOB NOT NULL,
  paid         TINYINT(1) NOT NULL,
  lock_version INT NOT NULL DEFAULT 0 COMMENT 'sqlcas:version',
  PRIMARY KEY (flight, seat, code, day)
);
CREATE TABLE token (
  id BINARY(16) NOT NULL PRIMARY KEY,
  uses MEDIUMINT UNSIGNED NOT NULL,
  revision SMALLINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE page (
  path VARBINARY(200) NOT NULL PRIMARY KEY,
  body MEDIUMBLOB NOT NULL,
  version BIGINT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE slot (
  at DATETIME(6) NOT NULL PRIMARY KEY,
  version TINYINT NOT NULL COMMENT 'sqlcas:version'
);
