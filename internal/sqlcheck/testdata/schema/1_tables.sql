-- account: the first of them; a `;` in a comment ends nothing.
CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  owner   VARCHAR(64)     NOT NULL COMMENT 'who; what',
  balance BIGINT          NOT NULL DEFAULT -1,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='Account is what an owner has.';

/* A composite key without NOT NULL at its columns, reserved words, a schema-qualified name. */
CREATE TABLE IF NOT EXISTS `shop`.`order line` (
  `order`  INT UNSIGNED,
  `line`   SMALLINT,
  `select` INT NOT NULL,
  sku      CHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lock_version INT NOT NULL COMMENT 'moved by all writers: sqlcas:version.',
  PRIMARY KEY (`order`, line),
  UNIQUE KEY by_sku (sku, `select`),
  KEY (sku),
  KEY (sku(3)),
  INDEX lowered ((LOWER(sku))),
  FULLTEXT KEY words (sku),
  CONSTRAINT positive CHECK (`select` > 0),
  CONSTRAINT of_account FOREIGN KEY (`select`) REFERENCES account (id) ON DELETE SET NULL ON UPDATE CASCADE,
  FOREIGN KEY (line)
    REFERENCES account (id) ON DELETE RESTRICT
);

CREATE TABLE legacy (
  id  INT NOT NULL PRIMARY KEY,
  rev BIGINT NOT NULL,
  version INT COMMENT 'of the document, not a lock'
);
CREATE TABLE legacy_copy LIKE legacy;
CREATE TABLE IF NOT EXISTS legacy (id INT);
INSERT INTO account (owner) VALUES ('a;b'), ("it''s; \" x");
SET NAMES utf8mb4;
CREATE VIEW rich AS SELECT * FROM account WHERE balance > 100;
CREATE TEMPORARY TABLE scratch (id INT);
CREATE PROCEDURE noise() BEGIN CALL other(); SELECT 1; END;
CREATE TABLE gone (id INT PRIMARY KEY);
CREATE TRIGGER gone_too BEFORE INSERT ON gone FOR EACH ROW SET NEW.id = 1;
DROP TABLE IF EXISTS gone, never_there;
