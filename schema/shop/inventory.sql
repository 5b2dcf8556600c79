-- inventory: how many units of a product are in stock. Order lines are deducted from it.
CREATE TABLE inventory (
  -- The product's number in the catalogue it came from, so it is given, never generated.
  product_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  name       VARCHAR(80)     NOT NULL,
  -- Whole units. Signed, and without CHECK (on_hand >= 0), for the reason given at account.balance:
  -- overselling must be visible as a negative number, not hidden behind an error.
  on_hand    BIGINT          NOT NULL COMMENT 'units in stock',
  -- The lock, as in account. version - 1 is the number of writes since the product was entered:
  -- reconciliation uses it.
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='Inventory is how many units of a product are in stock.';
