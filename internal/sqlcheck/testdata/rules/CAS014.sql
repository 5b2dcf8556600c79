-- Foreign keys that change versioned rows.

-- case: ON DELETE CASCADE (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, parent_id INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE CASCADE -- want
);

-- case: ON DELETE SET NULL (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, parent_id INT, version INT NOT NULL COMMENT 'sqlcas:version',
  CONSTRAINT of_parent -- want
    FOREIGN KEY (parent_id) REFERENCES parent (id)
    ON UPDATE NO ACTION ON DELETE SET NULL
);

-- case: ON DELETE SET DEFAULT (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, parent_id INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE SET DEFAULT -- want
);

-- case: ON UPDATE CASCADE (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, parent_id INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE RESTRICT ON UPDATE CASCADE -- want
);

-- case: ON UPDATE SET NULL (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, parent_id INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (parent_id) REFERENCES parent (id) ON UPDATE SET NULL -- want
);

-- case: at the column (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY,
  parent_id INT REFERENCES parent (id) ON DELETE CASCADE, -- want
  version INT NOT NULL COMMENT 'sqlcas:version'
);

-- case: added by a migration (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, parent_id INT, version INT NOT NULL COMMENT 'sqlcas:version');
ALTER TABLE a
  ADD INDEX (parent_id),
  ADD CONSTRAINT of_parent FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE CASCADE; -- want

-- case: to itself (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, parent_id INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (parent_id) REFERENCES a (id) ON DELETE CASCADE -- want
);

-- case: the second of two, and a parent that is versioned too (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, p INT, q INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (p) REFERENCES parent (id) ON DELETE RESTRICT,
  FOREIGN KEY (q) REFERENCES parent (id) ON DELETE CASCADE -- want
);

-- case: look-alike: nothing is said (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, p INT, version INT NOT NULL COMMENT 'sqlcas:version', FOREIGN KEY (p) REFERENCES parent (id));

-- case: look-alike: RESTRICT and NO ACTION (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, p INT, q INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (p) REFERENCES parent (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
  FOREIGN KEY (q) REFERENCES parent (id) ON DELETE NO ACTION
);

-- case: look-alike: into a table without a version (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, version INT NOT NULL COMMENT 'sqlcas:version');
CREATE TABLE line (id INT NOT NULL PRIMARY KEY, a_id INT, FOREIGN KEY (a_id) REFERENCES a (id) ON DELETE CASCADE ON UPDATE CASCADE);

-- case: look-alike: only called version (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, p INT, version INT NOT NULL, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE);

-- case: look-alike: dropped by its name (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, p INT, version INT NOT NULL COMMENT 'sqlcas:version',
  CONSTRAINT of_parent FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE);
ALTER TABLE a DROP FOREIGN KEY `Of_Parent`;

-- case: look-alike: dropped by the name that the server gave (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, p INT, version INT NOT NULL COMMENT 'sqlcas:version',
  FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE);
ALTER TABLE a DROP CONSTRAINT a_ibfk_1;

-- case: look-alike: in a comment, a string and another key's name (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, p INT COMMENT 'ON DELETE CASCADE', version INT NOT NULL COMMENT 'sqlcas:version',
  CONSTRAINT `on delete cascade` FOREIGN KEY (p) REFERENCES parent (id) /* ON DELETE CASCADE */
);

-- case: look-alike: ON UPDATE of a time (schema)
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, at TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP, version INT NOT NULL COMMENT 'sqlcas:version');

-- case: look-alike: a copy has no foreign keys (schema)
CREATE TABLE parent (id INT NOT NULL PRIMARY KEY);
CREATE TABLE b (id INT NOT NULL PRIMARY KEY, p INT, version INT NOT NULL COMMENT 'sqlcas:version',
  CONSTRAINT of_parent FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE);
CREATE TABLE a LIKE b;
DROP TABLE b;
