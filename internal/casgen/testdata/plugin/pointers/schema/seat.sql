CREATE TABLE seats (
  flight       INT UNSIGNED NOT NULL,
  seat         BINARY(3) NOT NULL,
  code         VARBINARY(20) NOT NULL,
  day          DATE NOT NULL,
  state        ENUM('free', 'taken') NOT NULL,
  holder       ENUM('agent', 'guest'),
  notes        JSON NOT NULL,
  picture      BLOB NOT NULL,
  paid         TINYINT(1) NOT NULL,
  lock_version INT NOT NULL DEFAULT 0 COMMENT 'sqlcas:version',
  PRIMARY KEY (flight, seat, code, day)
);
