-- unit: one row for each unit of a product in stock, instead of one row with a number of them. Orders
-- then take rows that nobody else holds, and do not wait for each other.
CREATE TABLE unit (
  id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  product_id BIGINT UNSIGNED NOT NULL,
  -- NULL while the unit is in stock.
  order_id   BIGINT UNSIGNED NULL,
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  -- For Take. Both columns are needed. FOR UPDATE locks every index entry that it reads, those that the
  -- WHERE clause then rejects too: with product_id alone a Take would read, and in passing lock, all the
  -- units that were sold before, more of them the longer the shop is open. Here the free units of a
  -- product stand together at the head of it, since NULL sorts first, and in the order of their ids, since
  -- InnoDB appends the primary key: n of them are read, and no others. The sale of a unit moves its entry
  -- out of the way.
  KEY unit_free (product_id, order_id)
) ENGINE=InnoDB
