CREATE TABLE `order` (
  `key`        BIGINT NOT NULL,
  `unit price` DECIMAL(10,2) NOT NULL,
  `2fa`        TINYINT(1) NOT NULL DEFAULT 0,
  `rank`       INT,
  `returning`  INT NOT NULL,
  `Größe`      INT NOT NULL,
  `type`       ENUM('a','b') NOT NULL,
  `version`    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (`key`)
);
CREATE TABLE jobs_windows (
  ctx     BIGINT NOT NULL PRIMARY KEY,
  result  INT NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE _Events (
  `Event No` BIGINT NOT NULL PRIMARY KEY,
  UserName   VARCHAR(10) NOT NULL,
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
