-- Tables made to be hard for the generator: what people have in schemas that are older than their Go code.

-- A composite key, one of whose columns is named by a rename.
CREATE TABLE seat (
  event_id BIGINT UNSIGNED   NOT NULL,
  row_no   SMALLINT UNSIGNED NOT NULL,
  seat_no  SMALLINT UNSIGNED NOT NULL,
  holder   VARCHAR(64)       NULL,
  version  BIGINT UNSIGNED   NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (event_id, row_no, seat_no)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- A BINARY(16) key, and bytes that may be NULL.
CREATE TABLE device (
  id      BINARY(16)      NOT NULL PRIMARY KEY,
  label   VARCHAR(40)     NOT NULL,
  digest  VARBINARY(32)   NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- A BINARY(16) key under an override: an array type of the application's own.
CREATE TABLE parcel (
  tracking BINARY(16)      NOT NULL PRIMARY KEY,
  grams    INT UNSIGNED    NOT NULL,
  version  BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- Reserved words, names that are no words, and names that are Go's.
CREATE TABLE `order` (
  `key`    INT UNSIGNED    NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `group`  VARCHAR(20)     NOT NULL,
  `select` INT             NOT NULL DEFAULT 0,
  `type`   VARCHAR(20)     NOT NULL,
  `rank`   INT             NULL,
  `two words` INT          NOT NULL DEFAULT 0,
  `steps`  INT             NOT NULL DEFAULT 0,
  `row`    INT             NOT NULL DEFAULT 0,
  `version` BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- DECIMAL, JSON, ENUM, SET, a column that the server keeps up to date and one that it computes.
CREATE TABLE invoice (
  id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  amount     DECIMAL(20,4)   NOT NULL,
  tax        DECIMAL(20,4)   NULL,
  total      DECIMAL(21,4)   GENERATED ALWAYS AS (amount + COALESCE(tax, 0)) STORED,
  detail     JSON            NOT NULL,
  extra      JSON            NULL,
  state      ENUM('draft', 'sent', 'paid') NOT NULL DEFAULT 'draft',
  previous   ENUM('draft', 'sent', 'paid') NULL,
  flags      SET('rush', 'export') NOT NULL DEFAULT '',
  due        DATE            NULL,
  paid       TINYINT(1)      NOT NULL DEFAULT 0,
  created_at TIMESTAMP(6)    NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  updated_at TIMESTAMP(6)    NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- A signed version of another name that starts at 0, as Rails makes it.
CREATE TABLE post (
  id           INT          NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title        VARCHAR(200) NOT NULL,
  lock_version INT          NOT NULL DEFAULT 0 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- A BLOB that most changes do not touch: a narrow descriptor leaves it where it is.
CREATE TABLE document (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title   VARCHAR(200)    NOT NULL,
  labels  VARBINARY(200)  NOT NULL DEFAULT '',
  body    LONGBLOB        NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- A string key, which the collation compares without regard to case, pointers, and a small version.
CREATE TABLE coupon (
  code    VARCHAR(32)       NOT NULL PRIMARY KEY,
  note    VARCHAR(100)      NULL,
  uses    INT               NOT NULL DEFAULT 0,
  version SMALLINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- Nothing but a key and a version: a lock, or the parent of an aggregate.
CREATE TABLE aggregate_root (
  kind    ENUM('cart', 'booking') NOT NULL,
  id      BIGINT                  NOT NULL,
  version INT UNSIGNED            NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (kind, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- A date in the key, and a version that the schema could not be given a comment for.
CREATE TABLE daily_quota (
  day      DATE            NOT NULL,
  tenant   VARCHAR(32)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  used     BIGINT          NOT NULL DEFAULT 0,
  revision BIGINT UNSIGNED NOT NULL DEFAULT 1,
  PRIMARY KEY (day, tenant)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
