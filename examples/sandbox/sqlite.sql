-- The tables of schema/shop for SQLite, which has one integer type and no comments on columns.
-- AUTOINCREMENT and the foreign key are as there.
CREATE TABLE account (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  owner   TEXT    NOT NULL,
  balance INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE inventory (
  product_id INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL,
  on_hand    INTEGER NOT NULL,
  version    INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE ledger_entry (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  amount     INTEGER NOT NULL,
  memo       TEXT    NOT NULL,
  created_at TEXT    NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX ledger_entry_by_account ON ledger_entry (account_id);
