-- ledger_entry: why an account's balance moved. Rows are inserted in the transaction that moves it
-- and never change, so the table needs no version.
--
-- The foreign key makes each INSERT take a shared lock on its account row. Swap the account first
-- and insert after it: with the INSERT first, two writers both hold the shared lock, both wait for
-- the exclusive one, and one is rolled back as a deadlock (1213).
CREATE TABLE ledger_entry (
  id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  account_id BIGINT UNSIGNED NOT NULL,
  amount     BIGINT          NOT NULL COMMENT 'minor units, negative when the balance went down',
  memo       VARCHAR(255)    NOT NULL,
  -- For people who look at the table, in the time zone of the session that wrote it. The queries in
  -- queries/shop do not read it: a DATETIME scans into time.Time only with parseTime=true, and they
  -- are to work with any DSN.
  created_at DATETIME(6)     NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  -- InnoDB appends the primary key to it, so one account's entries come out in the order of their
  -- ids without a sort.
  KEY ledger_entry_by_account (account_id),
  CONSTRAINT ledger_entry_account FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='LedgerEntry is why an account moved, and never changes.';
