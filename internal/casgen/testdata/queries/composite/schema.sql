CREATE TABLE seat_bookings (
  flight_no VARCHAR(8) NOT NULL,
  day       DATE       NOT NULL,
  seat      SMALLINT UNSIGNED NOT NULL,
  passenger VARCHAR(80),
  version   INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (day, flight_no, seat)
);
CREATE TABLE a_table_with_a_long_key (
  first_part_of_the_key  INT NOT NULL,
  second_part_of_the_key INT NOT NULL,
  third_part_of_the_key  INT NOT NULL,
  version                INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (first_part_of_the_key, second_part_of_the_key, third_part_of_the_key)
);
