CREATE TABLE Person (
  PersonID   BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  FullName   VARCHAR(64) NOT NULL,
  LockVersion BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TABLE `order-item` (
  `order`  INT UNSIGNED NOT NULL,
  `2nd no` INT UNSIGNED NOT NULL,
  `type`   VARCHAR(10) NOT NULL,
  `key`    VARCHAR(10) NOT NULL,
  `row`    VARCHAR(10) NOT NULL,
  ctx      VARCHAR(10) NOT NULL,
  db       VARCHAR(10) NOT NULL,
  err      VARCHAR(10) NOT NULL,
  q        VARCHAR(10) NOT NULL,
  steps    INT NOT NULL,
  `max`    INT NOT NULL,
  `string` INT NOT NULL,
  affected INT NOT NULL,
  version  INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (`order`, `2nd no`)
);
CREATE TABLE word (
  `key` VARCHAR(20) NOT NULL PRIMARY KEY,
  version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
