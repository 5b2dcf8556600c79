-- Key columns of versioned tables without NOT NULL.

-- case: the key is at the table (schema)
CREATE TABLE a (
  id INT, -- want
  version INT NOT NULL COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);

-- case: AUTO_INCREMENT says nothing of NULL (schema)
CREATE TABLE a (
  id BIGINT UNSIGNED AUTO_INCREMENT, -- want
  version INT NOT NULL COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);

-- case: one of two columns (schema)
CREATE TABLE a (
  x INT NOT NULL,
  y INT, -- want
  version INT NOT NULL COMMENT 'sqlcas:version',
  CONSTRAINT pk PRIMARY KEY (x, y)
);

-- case: both of two columns (schema)
CREATE TABLE a (
  `x` INT DEFAULT 0, -- want
  `y` VARCHAR(20) COMMENT 'NOT NULL', -- want
  version INT NOT NULL COMMENT 'sqlcas:version',
  PRIMARY KEY (y, x)
);

-- case: the key comes with a migration (schema)
CREATE TABLE a (
  id INT, -- want
  version INT NOT NULL COMMENT 'sqlcas:version'
);
ALTER TABLE a ADD PRIMARY KEY (id);

-- case: a migration takes NOT NULL away (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id));
ALTER TABLE a
  MODIFY id BIGINT; -- want

-- case: the column has another name since (schema)
CREATE TABLE a (
  ID INT, -- want
  version INT NOT NULL COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);
ALTER TABLE a RENAME COLUMN id TO a_id;

-- case: changed with a new name (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
ALTER TABLE a CHANGE COLUMN id
  number INT UNSIGNED; -- want

-- case: a comment between (schema)
CREATE TABLE a (
  id INT /* NOT NULL */, -- want
  version INT NOT NULL COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);

-- case: look-alike: NOT NULL at the column (schema)
CREATE TABLE a (id INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id));

-- case: look-alike: PRIMARY KEY at the column (schema)
CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');

-- case: look-alike: NOT NULL after other words (schema)
CREATE TABLE a (id INT UNSIGNED COMMENT 'x' NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id));

-- case: look-alike: SERIAL is NOT NULL (schema)
CREATE TABLE a (id SERIAL, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id));

-- case: look-alike: nullable, but in another key (schema)
CREATE TABLE a (id INT NOT NULL, n INT, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id), UNIQUE KEY (n), KEY (n, id));

-- case: look-alike: not versioned (schema)
CREATE TABLE a (id INT, version INT NOT NULL, PRIMARY KEY (id));

-- case: look-alike: mended by a migration (schema)
CREATE TABLE a (id INT, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id));
ALTER TABLE a MODIFY COLUMN id INT NOT NULL;

-- case: look-alike: not a key any more (schema)
CREATE TABLE a (id INT, no INT NOT NULL, version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (id));
ALTER TABLE a DROP PRIMARY KEY, ADD PRIMARY KEY (no);

-- case: look-alike: a string key (schema)
CREATE TABLE a (code CHAR(8) CHARACTER SET ascii NOT NULL DEFAULT '', version INT NOT NULL COMMENT 'sqlcas:version', PRIMARY KEY (code(4)));
