-- Tables of the sqlcas library, version devel. Written by: sqlcas migrate sqlcas

-- sqlcas_operation: which operations have been applied, by the ids that their callers gave them. A row is
-- inserted in the transaction of the change that it stands for, so that the two are there together or not
-- at all, and is never changed. Rows are deleted by age: see sqlcas.DeleteOperations.
CREATE TABLE sqlcas_operation (
  -- Bytes, so that 'a', 'A' and 'a ' are three ids, whatever the collations of server and connection. No id
  -- of its own: InnoDB keeps the rows in the order of the primary key, and every look-up is by id.
  id          VARBINARY(255) NOT NULL,
  -- What was changed, as text that people can read: 'account 7'. The same id for another target is refused.
  target      VARBINARY(255) NOT NULL,
  -- The SHA-256 of the request, or empty where the caller gave none.
  fingerprint VARBINARY(32)  NOT NULL,
  -- The try that wrote the row. After a COMMIT whose answer was lost it tells the row of that try from one
  -- that somebody else has written under the same id.
  attempt     BINARY(16)     NOT NULL,
  -- UTC by the server's clock, set by the INSERT: no session's time zone and no client's clock shifts it.
  created_at  DATETIME(6)    NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB;
