-- +goose Up
-- +goose StatementBegin
ALTER TABLE `order line`
  ADD COLUMN note VARCHAR(10) NOT NULL DEFAULT '' AFTER line,
  ADD (a INT, b INT NOT NULL COMMENT 'x'),
  ADD first_one INT FIRST,
  DROP COLUMN sku,
  CHANGE `select` account_id BIGINT UNSIGNED NOT NULL,
  ADD INDEX by_a (a),
  ADD UNIQUE (b),
  DROP FOREIGN KEY `order line_ibfk_1`,
  COMMENT 'lines of orders',
  ALGORITHM=INPLACE;
-- +goose StatementEnd
ALTER TABLE legacy MODIFY rev BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'the lock' AFTER version, RENAME TO old_legacy;
RENAME TABLE old_legacy TO Legacy, account TO accounts;
ALTER TABLE accounts RENAME COLUMN id TO account_id, ALTER COLUMN balance SET DEFAULT (1 + 1), ALTER owner DROP DEFAULT;
ALTER TABLE accounts ALTER COLUMN version SET INVISIBLE, CONVERT TO CHARACTER SET latin1;
CREATE UNIQUE INDEX by_owner ON accounts (owner(10), balance DESC);
CREATE INDEX doomed ON accounts (balance);
DROP INDEX doomed ON accounts;
ALTER TABLE accounts RENAME INDEX by_owner TO owners;
ALTER TABLE legacy_copy DROP PRIMARY KEY, ADD CONSTRAINT PRIMARY KEY (rev, id);
ALTER TABLE never_there ADD COLUMN x INT;
ALTER TABLE accounts ADD SYSTEM VERSIONING;
-- +goose Down
DROP TABLE accounts;
DROP TABLE legacy;
