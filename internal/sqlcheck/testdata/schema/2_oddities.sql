CREATE OR REPLACE TABLE types (
  id        SERIAL PRIMARY KEY,
  flag      BOOL NOT NULL DEFAULT TRUE,
  tiny      TINYINT(1) UNSIGNED NULL DEFAULT NULL,
  price     DECIMAL(20,4) DEFAULT 0.5,
  kind      ENUM('a','b; c') NOT NULL DEFAULT 'a',
  tags      SET('x','y'),
  seen_at   DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  day       DATE DEFAULT '2020-01-01',
  hash      BINARY(16),
  blurb     MEDIUMTEXT,
  raw       VARBINARY(20),
  doc       JSON DEFAULT (JSON_OBJECT('a', (1))),
  doubled   INT GENERATED ALWAYS AS (id * 2) STORED,
  checked   INT DEFAULT 7 CHECK (checked > COALESCE(NULL, DEFAULT(checked))),
  hidden    BIGINT DEFAULT 1 /*!80023 INVISIBLE */,
  hidden_m  INT INVISIBLE,
  parent    BIGINT UNSIGNED REFERENCES account (id) ON DELETE CASCADE,
  code      INT UNIQUE,
  zero      INT(11) ZEROFILL,
  ratio     DOUBLE PRECISION,
  year_     YEAR,
  bits      BIT(3)
) /*!50100 PARTITION BY HASH(id) PARTITIONS 4 */;

-- MariaDB's, which the parser does not know.
CREATE TABLE temporal (id INT PRIMARY KEY) WITH SYSTEM VERSIONING;
CREATE TABLE addresses (id INT PRIMARY KEY, ip INET6);
CREATE SEQUENCE seq START WITH 1;
CREATE TABLE picked SELECT 1 AS one;
CREATE TABLE like_nothing LIKE nothing;

DELIMITER $$
DROP TRIGGER IF EXISTS account_bump;
CREATE DEFINER=`root`@`%` TRIGGER account_bump BEFORE UPDATE ON shop.account FOR EACH ROW FOLLOWS other
BEGIN
  DECLARE n INT DEFAULT CASE WHEN 1 THEN 2 ELSE 3 END;
  IF NEW.version = OLD.version THEN
    SET NEW.version = OLD.version + 1; -- ; in a comment
  END IF;
  CALL noted(IF(n, 1, 2));
END$$
DELIMITER ;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER dumped AFTER DELETE ON types FOR EACH ROW
BEGIN
  DELETE FROM account WHERE id = OLD.parent;
END */;
CREATE TRIGGER two_events BEFORE INSERT OR UPDATE ON account FOR EACH ROW SET NEW.version = 1;
CREATE OR REPLACE TRIGGER short AFTER INSERT ON account FOR EACH ROW SET @a = 1;
CREATE OR REPLACE TRIGGER short AFTER UPDATE ON account FOR EACH ROW SET @a = 2;
CREATE TRIGGER dropped AFTER INSERT ON account FOR EACH ROW SET @a = 1;
DROP TRIGGER dropped;
