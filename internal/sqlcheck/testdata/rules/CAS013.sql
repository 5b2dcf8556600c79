-- Versioned tables without a primary key.

-- case: none at all (schema)
CREATE TABLE a ( -- want
  id INT NOT NULL,
  version INT NOT NULL COMMENT 'sqlcas:version'
);

-- case: a unique key is none (schema)
CREATE TABLE a ( -- want
  id INT NOT NULL UNIQUE,
  version INT NOT NULL COMMENT 'sqlcas:version'
);

-- case: a plain index is none (schema)
CREATE TABLE `a` ( -- want
  id INT NOT NULL,
  version INT NOT NULL COMMENT 'sqlcas:version',
  KEY `PRIMARY_` (id)
);

-- case: dropped by a migration (schema)
CREATE TABLE a ( -- want
  id INT NOT NULL PRIMARY KEY,
  version INT NOT NULL COMMENT 'sqlcas:version'
);
ALTER TABLE a DROP PRIMARY KEY;

-- case: dropped as an index (schema)
CREATE TABLE a ( -- want
  id INT NOT NULL PRIMARY KEY,
  version INT NOT NULL COMMENT 'sqlcas:version'
);
DROP INDEX `PRIMARY` ON a;

-- case: it went with its column (schema)
CREATE TABLE a ( -- want
  id INT NOT NULL PRIMARY KEY,
  n INT,
  version INT NOT NULL COMMENT 'sqlcas:version'
);
ALTER TABLE a DROP COLUMN id;

-- case: versioned by a later migration (schema)
CREATE TABLE a (id INT NOT NULL); -- want
ALTER TABLE a ADD COLUMN version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version';

-- case: made like one that has none (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version'); -- want
CREATE TABLE b LIKE a; -- want

-- case: PRIMARY KEY in a comment and a string (schema)
CREATE TABLE a ( -- want
  id INT NOT NULL COMMENT 'PRIMARY KEY', /* PRIMARY KEY (id), */
  version INT NOT NULL COMMENT 'sqlcas:version'
) COMMENT 'PRIMARY KEY (id)';

-- case: look-alike: at the column (schema)
CREATE TABLE a (id INT PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');

-- case: look-alike: at the table (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version', CONSTRAINT pk PRIMARY KEY (id));

-- case: look-alike: of several columns (schema)
CREATE TABLE a (x INT NOT NULL, y INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY USING BTREE (x, y DESC));

-- case: look-alike: the short form (schema)
CREATE TABLE a (id INT NOT NULL KEY, version INT NOT NULL COMMENT 'sqlcas:version');

-- case: look-alike: added by a migration (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version');
ALTER TABLE a ADD CONSTRAINT PRIMARY KEY (id);

-- case: look-alike: moved to another column (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, no INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version');
ALTER TABLE a DROP PRIMARY KEY, ADD PRIMARY KEY (no), RENAME COLUMN no TO number;

-- case: look-alike: not versioned (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL);

-- case: look-alike: versioned no more (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version');
ALTER TABLE a MODIFY version INT NOT NULL;

-- case: look-alike: the table is gone (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version');
DROP TABLE `A`;
