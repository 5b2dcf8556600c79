-- stock_bucket: the stock of one product, spread over several rows. Writers who have drawn different buckets do
-- not wait for each other. How many buckets a product has is fixed when it is entered.
CREATE TABLE stock_bucket (
  product_id BIGINT UNSIGNED NOT NULL,
  bucket     INT UNSIGNED    NOT NULL,
  -- Signed, so that overselling would show as a negative number.
  quantity   BIGINT          NOT NULL,
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (product_id, bucket)
) ENGINE=InnoDB
