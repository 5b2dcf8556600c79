-- Triggers that write versions, and those that only look at them.

-- case: it adds one as well (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
  SET NEW.version = NEW.version + 1; -- want

-- case: it sets the version whatever the UPDATE set (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  SET @seen = 1,
    NEW.version = OLD.version + 1; -- want
END;

-- case: the name of the column in other letters and in backquotes (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, lock_version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
  SET new.`LOCK_VERSION` := new.lock_version + 1; -- want

-- case: a condition that is not about the version (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, n INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
IF NEW.n <> OLD.n THEN
  SET NEW.version = OLD.version + 1; -- want
END IF;

-- case: guarded in one branch, not in the other (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
DELIMITER //
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NEW.version = OLD.version THEN
    SET NEW.version = OLD.version + 1;
  ELSE
    SET NEW.version = NEW.version + 1; -- want
  END IF;
END//
DELIMITER ;

-- case: the guard is over before it (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NEW.version = OLD.version THEN
    SET @unmoved = CASE WHEN 1 THEN 2 END;
  END IF;
  SET NEW.version = OLD.version + 1; -- want
END;

-- case: the guard is one of two ways in (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, n INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NEW.version = OLD.version OR NEW.n > 0 THEN
    SET NEW.version = OLD.version + 1; -- want
  END IF;
END;

-- case: the contrary of a guard and of something else (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, n INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NEW.version <> OLD.version AND NEW.n > 0 THEN
    SET @moved = 1;
  ELSE
    SET NEW.version = OLD.version + 1; -- want
  END IF;
END;

-- case: it compares the version of another table (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE line (id INT NOT NULL PRIMARY KEY, a_id INT, version INT);
CREATE TRIGGER added AFTER INSERT ON line FOR EACH ROW
  UPDATE a JOIN line ON line.a_id = a.id SET a.total = 0 WHERE a.id = NEW.a_id AND line.version = 3; -- want

-- case: guarded, but not moved by a number (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NEW.version = OLD.version THEN
    SET NEW.version = 1; -- want
  END IF;
END;

-- case: it writes rows of another versioned table (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE line (id INT NOT NULL PRIMARY KEY, a_id INT, amount INT);
CREATE TRIGGER added AFTER INSERT ON line FOR EACH ROW
  UPDATE a SET total = total + NEW.amount, version = version + 1 WHERE id = NEW.a_id; -- want
CREATE TRIGGER dropped AFTER DELETE ON line FOR EACH ROW
BEGIN
  CALL noted(OLD.id);
  DELETE FROM a WHERE id = OLD.a_id; -- want
  REPLACE INTO a (id, version) VALUES (OLD.a_id, 1); -- want
  INSERT INTO a (id, version) VALUES (1, 1) ON DUPLICATE KEY UPDATE total = 0; -- want
  UPDATE line JOIN a AS parent ON parent.id = line.a_id SET parent.total = 0; -- want
  UPDATE a SET total = 0 WHERE id = OLD.a_id AND version = version; -- want
  UPDATE a SET total = 0 WHERE id = OLD.a_id OR version = 1; -- want
END;

-- case: a dump's executable comments (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  SET NEW.version = NEW.version + 1; -- want
END */;;
DELIMITER ;

-- case: the table is renamed after it (schema)
CREATE TABLE old_a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON old_a FOR EACH ROW
  SET NEW.version = NEW.version + 1; -- want
RENAME TABLE old_a TO a;

-- case: look-alike: guarded, in several spellings (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, n INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER g1 BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NEW.version = OLD.version THEN SET NEW.version = OLD.version + 1; END IF;
END;
CREATE TRIGGER g2 BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF (OLD.version <=> NEW.version) AND NEW.n > 0 THEN SET NEW.version = 1 + NEW.version; END IF;
END;
CREATE TRIGGER g3 BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NOT (NEW.version = OLD.version) THEN
    SET @moved = 1;
  ELSEIF NEW.n = 3 THEN
    SET NEW.version = OLD.version + 1;
  ELSE
    BEGIN
      SET NEW.version = OLD.version + 1;
    END;
  END IF;
END;
CREATE TRIGGER g4 BEFORE UPDATE ON a FOR EACH ROW
IF NEW.version <> OLD.version THEN SET @moved = 1; ELSE SET NEW.version = OLD.version + 1; END IF;

-- case: look-alike: the guard is in the value (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER g1 BEFORE UPDATE ON a FOR EACH ROW SET NEW.version = IF(NEW.version = OLD.version, OLD.version + 1, NEW.version);
CREATE TRIGGER g2 BEFORE UPDATE ON a FOR EACH ROW SET NEW.version = GREATEST(NEW.version, OLD.version + 1);
CREATE TRIGGER g3 BEFORE UPDATE ON a FOR EACH ROW
  SET NEW.version = CASE WHEN NEW.version = OLD.version THEN OLD.version + 1 ELSE NEW.version END;

-- case: look-alike: it raises when the version did not move (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER guard BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  IF NEW.version <= OLD.version THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'SET NEW.version = OLD.version + 1';
  END IF;
END;

-- case: look-alike: it reads the version into something else (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, was INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER keeps BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  DECLARE version INT DEFAULT 0;
  SET NEW.was = OLD.version + 1, version = NEW.version + 1; -- SET NEW.version = 5
END;

-- case: look-alike: a new row's version, and a table without one (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE b (id INT NOT NULL PRIMARY KEY, version INT NOT NULL);
CREATE TRIGGER starts BEFORE INSERT ON a FOR EACH ROW SET NEW.version = 1;
CREATE TRIGGER bump BEFORE UPDATE ON b FOR EACH ROW SET NEW.version = OLD.version + 1;

-- case: look-alike: it writes tables without a version, and reads versioned ones (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE log (id INT NOT NULL PRIMARY KEY, a_id INT, version INT);
CREATE TRIGGER logs AFTER UPDATE ON a FOR EACH ROW
BEGIN
  INSERT INTO log (a_id, version) VALUES (NEW.id, NEW.version);
  INSERT INTO log (a_id) SELECT id FROM a WHERE id = NEW.id;
  UPDATE log SET version = NEW.version WHERE a_id = NEW.id;
  UPDATE log JOIN a ON a.id = log.a_id SET log.version = a.version WHERE a.id = NEW.id;
  DELETE log FROM log JOIN a ON a.id = log.a_id WHERE a.total = 0;
  DELETE FROM log WHERE a_id IN (SELECT id FROM a);
END;

-- case: look-alike: it compares the version that it was given (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE wish (id INT NOT NULL PRIMARY KEY, a_id INT, total INT, seen INT);
CREATE TRIGGER wished AFTER INSERT ON wish FOR EACH ROW
BEGIN
  UPDATE a AS x SET x.total = NEW.total, x.version = x.version + 1 WHERE x.id = NEW.a_id AND (x.version = NEW.seen);
  DELETE FROM a WHERE id = NEW.a_id AND NEW.seen = version AND total = 0;
END;

-- case: look-alike: dropped, or dropped with its table (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump BEFORE UPDATE ON a FOR EACH ROW SET NEW.version = NEW.version + 1;
DROP TRIGGER bump;
CREATE TABLE b (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER bump_b BEFORE UPDATE ON b FOR EACH ROW SET NEW.version = NEW.version + 1;
DROP TABLE b;

-- case: look-alike: in a handler, a loop and a procedure (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE PROCEDURE p() BEGIN UPDATE a SET version = version + 1 WHERE id = 1 AND version = 2; END;
CREATE TRIGGER loops BEFORE UPDATE ON a FOR EACH ROW
BEGIN
  DECLARE i INT DEFAULT 0;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN SET i = 1; END;
  again: WHILE i < 3 DO SET i = i + 1; END WHILE again;
  REPEAT SET i = i + 1; UNTIL i > 9 END REPEAT;
  CASE i WHEN 1 THEN SET i = 2; ELSE SET i = 3; END CASE;
  IF NEW.version = OLD.version THEN SET NEW.version = OLD.version + 1; END IF;
END;

-- case: a procedure, a function and an event that write blindly (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
DELIMITER //
CREATE DEFINER=`root`@`%` PROCEDURE add_up(IN p_id INT, p_by DECIMAL(10, 2)) SQL SECURITY INVOKER COMMENT 'BEGIN'
main: BEGIN
  DECLARE EXIT HANDLER FOR NOT FOUND UPDATE a SET total = 0 WHERE id = 1; -- want
  IF p_by > 0 THEN
    UPDATE a SET total = total + p_by, version = version + 1 WHERE id = p_id; -- want
  END IF;
  DELETE FROM a WHERE id = p_id; -- want
  REPLACE INTO a (id) VALUES (p_id); -- want
  INSERT INTO a (id) VALUES (p_id) ON DUPLICATE KEY UPDATE total = 0; -- want
  TRUNCATE TABLE a; -- want
END main//
CREATE OR REPLACE FUNCTION f(p_id INT) RETURNS INT DETERMINISTIC MODIFIES SQL DATA
BEGIN
  UPDATE a SET total = 0, version = version + 1 WHERE id = p_id; -- want
  RETURN 1;
END//
DELIMITER ;
CREATE PROCEDURE bare() UPDATE a SET total = 0; -- want
CREATE EVENT IF NOT EXISTS nightly ON SCHEDULE EVERY 1 DAY STARTS CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO
  DELETE FROM a WHERE total = 0; -- want

-- case: a routine that compares the version and does not move it, or not by a step (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE PROCEDURE p(p_id INT, p_version INT)
BEGIN
  UPDATE a SET total = 0 WHERE id = p_id AND version = p_version; -- want
  UPDATE a SET total = 0, version = version + 0 WHERE id = p_id AND version = p_version; -- want
  UPDATE a SET total = 0, version = p_version + 1 WHERE id = p_id AND version = p_version; -- want
  UPDATE a SET total = 0, version = version + 1 WHERE id = p_id AND version = (SELECT MAX(x.version) FROM a AS x); -- want
END;

-- case: a trigger that compares or moves another table's version in name only (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE line (id INT NOT NULL PRIMARY KEY, a_id INT, seen INT);
CREATE TRIGGER added AFTER INSERT ON line FOR EACH ROW
BEGIN
  UPDATE a SET total = 0, version = version + 1 WHERE id = NEW.a_id AND version = version + 0; -- want
  UPDATE a SET total = 0, version = NEW.id WHERE id = NEW.a_id AND version = NEW.seen; -- want
  UPDATE a SET total = 0, version = version WHERE id = NEW.a_id AND version = NEW.seen; -- want
  UPDATE a SET total = 0 WHERE id = NEW.a_id AND version = NEW.seen; -- want
  UPDATE a SET nosuchcolumn = 0 WHERE id = NEW.a_id; -- want
END;

-- case: a trigger that has a new row begin elsewhere (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER z BEFORE INSERT ON a FOR EACH ROW SET NEW.version = 0; -- want
CREATE TRIGGER n BEFORE INSERT ON a FOR EACH ROW SET NEW.version = NULL; -- want
CREATE TRIGGER i BEFORE INSERT ON a FOR EACH ROW SET NEW.version = NEW.id; -- want

-- case: look-alike: routines that swap, read, write other tables, or are dropped (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE log (id INT NOT NULL PRIMARY KEY, a_id INT, version INT);
DELIMITER //
CREATE PROCEDURE swap(IN p_id INT, IN p_version INT, OUT p_done INT)
BEGIN
  DECLARE v_total INT DEFAULT 0;
  DECLARE c CURSOR FOR SELECT id FROM a FOR UPDATE;
  SELECT total INTO v_total FROM a WHERE id = p_id;
  UPDATE a SET total = v_total, version = version + 1 WHERE id = p_id AND version = p_version;
  SET p_done = ROW_COUNT();
  DELETE FROM a WHERE id = p_id AND version = p_version;
  INSERT INTO a (id) VALUES (p_id) ON DUPLICATE KEY UPDATE id = id;
  INSERT INTO log (a_id, version) SELECT id, version FROM a WHERE id = p_id;
  UPDATE log SET version = 0 WHERE a_id = p_id;
  SELECT 'UPDATE a SET total = 0';
END//
DELIMITER ;
CREATE PROCEDURE old() UPDATE a SET total = 0;
DROP PROCEDURE IF EXISTS old;
CREATE FUNCTION doubled(x INT) RETURNS INT DETERMINISTIC RETURN 2 * x;
CREATE FUNCTION sounds RETURNS STRING SONAME 'a.so';

-- case: look-alike: a migration's own backfill (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
UPDATE a SET total = 0;
DELETE FROM a WHERE total IS NULL;
REPLACE INTO a (id) VALUES (1);
TRUNCATE TABLE a;

-- case: look-alike: a trigger has a new row begin at 1 (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, total INT, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TRIGGER one BEFORE INSERT ON a FOR EACH ROW SET NEW.version = 1;
CREATE TRIGGER may BEFORE INSERT ON a FOR EACH ROW SET NEW.version = IF(NEW.version IS NULL, 1, NEW.version), NEW.total = 0;
