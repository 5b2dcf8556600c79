-- The schema that the queries of the rule cases are written against. It has no fault that a rule of
-- schemas finds.

-- The three tables of schema/shop.
CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  owner   VARCHAR(64)     NOT NULL,
  balance BIGINT          NOT NULL COMMENT 'minor units (cents)',
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE inventory (
  product_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  name       VARCHAR(80)     NOT NULL,
  on_hand    BIGINT          NOT NULL COMMENT 'units in stock',
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE ledger_entry (
  id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  account_id BIGINT UNSIGNED NOT NULL,
  amount     BIGINT          NOT NULL,
  memo       VARCHAR(255)    NOT NULL,
  created_at DATETIME(6)     NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  KEY ledger_entry_by_account (account_id),
  CONSTRAINT ledger_entry_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

-- A composite key.
CREATE TABLE order_line (
  order_id BIGINT UNSIGNED NOT NULL,
  line_no  INT UNSIGNED    NOT NULL,
  sku      VARCHAR(32)     NOT NULL,
  quantity INT             NOT NULL,
  price    DECIMAL(12,2)   NOT NULL,
  note     VARCHAR(255),
  version  BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (order_id, line_no),
  KEY order_line_by_sku (sku, quantity)
) ENGINE=InnoDB;

-- A version by another name, unique keys (one of them nullable), a nullable amount.
CREATE TABLE customer (
  id           BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  tenant_id    BIGINT UNSIGNED NOT NULL,
  email        VARCHAR(255)    NOT NULL,
  phone        VARCHAR(32),
  credit       BIGINT,
  vip          TINYINT(1)      NOT NULL DEFAULT 0,
  deleted_at   DATETIME(6),
  lock_version INT UNSIGNED    NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (id),
  UNIQUE KEY customer_email (email),
  UNIQUE KEY customer_phone (phone),
  KEY customer_by_tenant (tenant_id, deleted_at)
) ENGINE=InnoDB;

-- Words that SQL has reserved.
CREATE TABLE `order` (
  `id`      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  `key`     VARCHAR(64)     NOT NULL,
  `group`   BIGINT          NOT NULL,
  `version` BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  UNIQUE KEY order_key (`key`)
) ENGINE=InnoDB;

-- Not versioned: a queue, rows whose column is merely called version, and a table without any key.
CREATE TABLE job (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  status  CHAR(1)         NOT NULL,
  run_at  DATETIME(6)     NOT NULL,
  worker  VARCHAR(64),
  KEY job_due (status, run_at)
) ENGINE=InnoDB;

CREATE TABLE document (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  title   VARCHAR(255)    NOT NULL,
  version INT             NOT NULL
) ENGINE=InnoDB;

CREATE TABLE audit_log (
  at      DATETIME(6)  NOT NULL,
  message VARCHAR(255) NOT NULL
) ENGINE=InnoDB;

-- An index on an expression.
CREATE TABLE voucher (
  id   BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  code VARCHAR(32)     NOT NULL,
  UNIQUE KEY voucher_code ((UPPER(code)))
) ENGINE=InnoDB;

-- Views: of one table, with other names, of a view, without the version; of several tables; of none with a version.
CREATE VIEW rich_account AS SELECT * FROM account WHERE balance > 0;
CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW named_account (no, name, rev) AS SELECT a.id, a.owner, a.version FROM account AS a;
CREATE VIEW richest AS SELECT id AS nr, version AS v FROM rich_account;
CREATE VIEW owners AS SELECT id, owner FROM account;
CREATE VIEW entry_of_account AS SELECT a.id, a.balance, l.memo FROM account a JOIN ledger_entry l ON l.account_id = a.id;
CREATE VIEW due_job AS SELECT j.id, j.status FROM job j WHERE j.status = 'N';
CREATE VIEW job_of_entry AS SELECT j.id, l.memo FROM job j JOIN ledger_entry l ON l.id = j.id;
CREATE VIEW gone AS SELECT id, version FROM account;
DROP VIEW IF EXISTS gone;
