CREATE TABLE inventory (
  product_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  name       VARCHAR(80)     NOT NULL,
  on_hand    BIGINT          NOT NULL,
  version    BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
