-- case: RETURNING of a DELETE
-- name: Q :one
DELETE FROM account WHERE id = ? AND version = ? RETURNING balance; -- want

-- case: RETURNING of an INSERT
-- name: Q :one
INSERT INTO account (owner, balance) VALUES (?, ?) RETURNING id; -- want

-- case: FOR SYSTEM_TIME
-- name: Q :many
SELECT balance FROM account FOR SYSTEM_TIME ALL WHERE id = ?; -- want

-- case: in backquotes and in another case
-- name: Q :one
DELETE FROM `Account` WHERE id = 1 RETURNING id; -- want

-- case: a reserved word in backquotes
-- name: Q :one
DELETE FROM `order` WHERE id = 1 RETURNING id; -- want

-- case: behind a database
-- name: Q :one
DELETE FROM shop.inventory WHERE product_id = 1 RETURNING on_hand; -- want

-- case: a misspelt statement
-- name: Q :execrows
UPDATE account SET balance = ? WHER id = ?; -- want

-- case: the versioned table is the second
-- name: Q :many
SELECT 1 FROM job JOIN
  order_line FOR SYSTEM_TIME ALL; -- want

-- case: no query of sqlc
DELETE FROM account WHERE id = 1 RETURNING id; -- want

-- case: in an executable comment
-- name: Q :one
DELETE FROM /*! account */ WHERE id = 1 RETURNING id; -- want

-- case: a table without a version
-- name: Q :one
DELETE FROM job WHERE id = ? RETURNING worker;

-- case: a column called version, a table without one
-- name: Q :one
DELETE FROM document WHERE id = ? AND version = ? RETURNING title;

-- case: a table that the catalogue does not know
-- name: Q :one
DELETE FROM supplier WHERE id = ? RETURNING id;

-- case: the table is in a string
-- name: Q :one
INSERT INTO audit_log (at, message) VALUES (NOW(6), 'account') RETURNING message;

-- case: the table is in a comment
-- name: Q :one
DELETE FROM job WHERE id = ? /* account */ RETURNING worker;

-- case: the table is a part of a word
-- name: Q :one
DELETE FROM my_account WHERE id = ? RETURNING account_id;

-- case: the parser knows it
-- name: Q :many
SELECT id FROM account WHERE id = ? FOR UPDATE SKIP LOCKED;

-- case: a reserved word as an argument's name
-- name: Q :many
SELECT id FROM account WHERE version < sqlc.arg(before);

-- case: INSERT ... AS new
-- name: Q :exec
INSERT INTO account (owner, balance) VALUES (?, ?) AS new;

-- case: RETURNING of a comment
-- name: Q :execrows
-- RETURNING would be nice.
DELETE FROM account WHERE id = ? AND version = ? /* RETURNING id */;

-- case: more tables in one join than servers take
-- name: Q :many
SELECT a.id FROM account a JOIN job j0 ON j0.id = a.id JOIN job j1 ON j1.id = a.id JOIN job j2 ON j2.id = a.id JOIN job j3 ON j3.id = a.id JOIN job j4 ON j4.id = a.id JOIN job j5 ON j5.id = a.id JOIN job j6 ON j6.id = a.id JOIN job j7 ON j7.id = a.id JOIN job j8 ON j8.id = a.id JOIN job j9 ON j9.id = a.id JOIN job j10 ON j10.id = a.id JOIN job j11 ON j11.id = a.id JOIN job j12 ON j12.id = a.id JOIN job j13 ON j13.id = a.id JOIN job j14 ON j14.id = a.id JOIN job j15 ON j15.id = a.id JOIN job j16 ON j16.id = a.id JOIN job j17 ON j17.id = a.id JOIN job j18 ON j18.id = a.id JOIN job j19 ON j19.id = a.id JOIN job j20 ON j20.id = a.id JOIN job j21 ON j21.id = a.id JOIN job j22 ON j22.id = a.id JOIN job j23 ON j23.id = a.id JOIN job j24 ON j24.id = a.id JOIN job j25 ON j25.id = a.id JOIN job j26 ON j26.id = a.id JOIN job j27 ON j27.id = a.id JOIN job j28 ON j28.id = a.id JOIN job j29 ON j29.id = a.id JOIN job j30 ON j30.id = a.id JOIN job j31 ON j31.id = a.id JOIN job j32 ON j32.id = a.id JOIN job j33 ON j33.id = a.id JOIN job j34 ON j34.id = a.id JOIN job j35 ON j35.id = a.id JOIN job j36 ON j36.id = a.id JOIN job j37 ON j37.id = a.id JOIN job j38 ON j38.id = a.id JOIN job j39 ON j39.id = a.id JOIN job j40 ON j40.id = a.id JOIN job j41 ON j41.id = a.id JOIN job j42 ON j42.id = a.id JOIN job j43 ON j43.id = a.id JOIN job j44 ON j44.id = a.id JOIN job j45 ON j45.id = a.id JOIN job j46 ON j46.id = a.id JOIN job j47 ON j47.id = a.id JOIN job j48 ON j48.id = a.id JOIN job j49 ON j49.id = a.id JOIN job j50 ON j50.id = a.id JOIN job j51 ON j51.id = a.id JOIN job j52 ON j52.id = a.id JOIN job j53 ON j53.id = a.id JOIN job j54 ON j54.id = a.id JOIN job j55 ON j55.id = a.id JOIN job j56 ON j56.id = a.id JOIN job j57 ON j57.id = a.id JOIN job j58 ON j58.id = a.id JOIN job j59 ON j59.id = a.id JOIN job j60 ON j60.id = a.id; -- want
-- name: R :many
SELECT a.id FROM account a NATURAL JOIN account a0 NATURAL JOIN account a1 NATURAL JOIN account a2 NATURAL JOIN account a3 NATURAL JOIN account a4 NATURAL JOIN account a5 NATURAL JOIN account a6 NATURAL JOIN account a7 NATURAL JOIN account a8 NATURAL JOIN account a9 NATURAL JOIN account a10 NATURAL JOIN account a11 NATURAL JOIN account a12 NATURAL JOIN account a13 NATURAL JOIN account a14 NATURAL JOIN account a15 NATURAL JOIN account a16 NATURAL JOIN account a17 NATURAL JOIN account a18 NATURAL JOIN account a19 NATURAL JOIN account a20 NATURAL JOIN account a21 NATURAL JOIN account a22 NATURAL JOIN account a23 NATURAL JOIN account a24 NATURAL JOIN account a25 NATURAL JOIN account a26 NATURAL JOIN account a27 NATURAL JOIN account a28 NATURAL JOIN account a29 NATURAL JOIN account a30 NATURAL JOIN account a31 NATURAL JOIN account a32 NATURAL JOIN account a33 NATURAL JOIN account a34 NATURAL JOIN account a35 NATURAL JOIN account a36 NATURAL JOIN account a37 NATURAL JOIN account a38 NATURAL JOIN account a39 NATURAL JOIN account a40 NATURAL JOIN account a41 NATURAL JOIN account a42 NATURAL JOIN account a43 NATURAL JOIN account a44 NATURAL JOIN account a45 NATURAL JOIN account a46 NATURAL JOIN account a47 NATURAL JOIN account a48 NATURAL JOIN account a49 NATURAL JOIN account a50 NATURAL JOIN account a51 NATURAL JOIN account a52 NATURAL JOIN account a53 NATURAL JOIN account a54 NATURAL JOIN account a55 NATURAL JOIN account a56 NATURAL JOIN account a57 NATURAL JOIN account a58 NATURAL JOIN account a59 NATURAL JOIN account a60 NATURAL JOIN account a61 NATURAL JOIN account a62 NATURAL JOIN account a63 NATURAL JOIN account a64 NATURAL JOIN account a65 NATURAL JOIN account a66 NATURAL JOIN account a67 NATURAL JOIN account a68 NATURAL JOIN account a69 NATURAL JOIN account a70 NATURAL JOIN account a71 NATURAL JOIN account a72 NATURAL JOIN account a73 NATURAL JOIN account a74 NATURAL JOIN account a75 NATURAL JOIN account a76 NATURAL JOIN account a77 NATURAL JOIN account a78 NATURAL JOIN account a79 NATURAL JOIN account a80 NATURAL JOIN account a81 NATURAL JOIN account a82 NATURAL JOIN account a83 NATURAL JOIN account a84 NATURAL JOIN account a85 NATURAL JOIN account a86 NATURAL JOIN account a87 NATURAL JOIN account a88 NATURAL JOIN account a89 NATURAL JOIN account a90 NATURAL JOIN account a91 NATURAL JOIN account a92 NATURAL JOIN account a93 NATURAL JOIN account a94 NATURAL JOIN account a95 NATURAL JOIN account a96 NATURAL JOIN account a97 NATURAL JOIN account a98 NATURAL JOIN account a99 NATURAL JOIN account a100 NATURAL JOIN account a101 NATURAL JOIN account a102 NATURAL JOIN account a103 NATURAL JOIN account a104 NATURAL JOIN account a105 NATURAL JOIN account a106 NATURAL JOIN account a107 NATURAL JOIN account a108 NATURAL JOIN account a109 NATURAL JOIN account a110 NATURAL JOIN account a111 NATURAL JOIN account a112 NATURAL JOIN account a113 NATURAL JOIN account a114 NATURAL JOIN account a115 NATURAL JOIN account a116 NATURAL JOIN account a117 NATURAL JOIN account a118 NATURAL JOIN account a119 NATURAL JOIN account a120 NATURAL JOIN account a121 NATURAL JOIN account a122 NATURAL JOIN account a123 NATURAL JOIN account a124 NATURAL JOIN account a125 NATURAL JOIN account a126 NATURAL JOIN account a127 NATURAL JOIN account a128 NATURAL JOIN account a129 NATURAL JOIN account a130 NATURAL JOIN account a131 NATURAL JOIN account a132 NATURAL JOIN account a133 NATURAL JOIN account a134 NATURAL JOIN account a135 NATURAL JOIN account a136 NATURAL JOIN account a137 NATURAL JOIN account a138 NATURAL JOIN account a139 NATURAL JOIN account a140 NATURAL JOIN account a141 NATURAL JOIN account a142 NATURAL JOIN account a143 NATURAL JOIN account a144 NATURAL JOIN account a145 NATURAL JOIN account a146 NATURAL JOIN account a147 NATURAL JOIN account a148 NATURAL JOIN account a149 NATURAL JOIN account a150 NATURAL JOIN account a151 NATURAL JOIN account a152 NATURAL JOIN account a153 NATURAL JOIN account a154 NATURAL JOIN account a155 NATURAL JOIN account a156 NATURAL JOIN account a157 NATURAL JOIN account a158 NATURAL JOIN account a159 NATURAL JOIN account a160 NATURAL JOIN account a161 NATURAL JOIN account a162 NATURAL JOIN account a163 NATURAL JOIN account a164 NATURAL JOIN account a165 NATURAL JOIN account a166 NATURAL JOIN account a167 NATURAL JOIN account a168 NATURAL JOIN account a169 NATURAL JOIN account a170 NATURAL JOIN account a171 NATURAL JOIN account a172 NATURAL JOIN account a173 NATURAL JOIN account a174 NATURAL JOIN account a175 NATURAL JOIN account a176 NATURAL JOIN account a177 NATURAL JOIN account a178 NATURAL JOIN account a179 NATURAL JOIN account a180 NATURAL JOIN account a181 NATURAL JOIN account a182 NATURAL JOIN account a183 NATURAL JOIN account a184 NATURAL JOIN account a185 NATURAL JOIN account a186 NATURAL JOIN account a187 NATURAL JOIN account a188 NATURAL JOIN account a189 NATURAL JOIN account a190 NATURAL JOIN account a191 NATURAL JOIN account a192 NATURAL JOIN account a193 NATURAL JOIN account a194 NATURAL JOIN account a195 NATURAL JOIN account a196 NATURAL JOIN account a197 NATURAL JOIN account a198 NATURAL JOIN account a199; -- want

-- case: as many tables in one join as servers take, and more in several
-- name: Q :many
SELECT a.id FROM account a JOIN job j0 ON j0.id = a.id JOIN job j1 ON j1.id = a.id JOIN job j2 ON j2.id = a.id JOIN job j3 ON j3.id = a.id JOIN job j4 ON j4.id = a.id JOIN job j5 ON j5.id = a.id JOIN job j6 ON j6.id = a.id JOIN job j7 ON j7.id = a.id JOIN job j8 ON j8.id = a.id JOIN job j9 ON j9.id = a.id JOIN job j10 ON j10.id = a.id JOIN job j11 ON j11.id = a.id JOIN job j12 ON j12.id = a.id JOIN job j13 ON j13.id = a.id JOIN job j14 ON j14.id = a.id JOIN job j15 ON j15.id = a.id JOIN job j16 ON j16.id = a.id JOIN job j17 ON j17.id = a.id JOIN job j18 ON j18.id = a.id JOIN job j19 ON j19.id = a.id JOIN job j20 ON j20.id = a.id JOIN job j21 ON j21.id = a.id JOIN job j22 ON j22.id = a.id JOIN job j23 ON j23.id = a.id JOIN job j24 ON j24.id = a.id JOIN job j25 ON j25.id = a.id JOIN job j26 ON j26.id = a.id JOIN job j27 ON j27.id = a.id JOIN job j28 ON j28.id = a.id JOIN job j29 ON j29.id = a.id JOIN job j30 ON j30.id = a.id JOIN job j31 ON j31.id = a.id JOIN job j32 ON j32.id = a.id JOIN job j33 ON j33.id = a.id JOIN job j34 ON j34.id = a.id JOIN job j35 ON j35.id = a.id JOIN job j36 ON j36.id = a.id JOIN job j37 ON j37.id = a.id JOIN job j38 ON j38.id = a.id JOIN job j39 ON j39.id = a.id JOIN job j40 ON j40.id = a.id JOIN job j41 ON j41.id = a.id JOIN job j42 ON j42.id = a.id JOIN job j43 ON j43.id = a.id JOIN job j44 ON j44.id = a.id JOIN job j45 ON j45.id = a.id JOIN job j46 ON j46.id = a.id JOIN job j47 ON j47.id = a.id JOIN job j48 ON j48.id = a.id JOIN job j49 ON j49.id = a.id JOIN job j50 ON j50.id = a.id JOIN job j51 ON j51.id = a.id JOIN job j52 ON j52.id = a.id JOIN job j53 ON j53.id = a.id JOIN job j54 ON j54.id = a.id JOIN job j55 ON j55.id = a.id JOIN job j56 ON j56.id = a.id JOIN job j57 ON j57.id = a.id JOIN job j58 ON j58.id = a.id JOIN job j59 ON j59.id = a.id;
-- name: R :many
SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account UNION ALL SELECT id FROM account;

-- case: a view of several tables
-- name: A :execrows
UPDATE entry_of_account SET balance = ? WHERE id = ?; -- want
-- name: B :exec
INSERT INTO entry_of_account (id, balance) VALUES (?, ?); -- want
-- name: C :execrows
UPDATE entry_of_account e JOIN job j ON j.id = e.id SET e.balance = ? WHERE j.id = ?; -- want

-- case: a view of several tables that is read, and one whose tables have no version
-- name: A :many
SELECT memo FROM entry_of_account WHERE id = ? FOR UPDATE;
-- name: B :execrows
UPDATE job_of_entry SET memo = ? WHERE id = ?;
-- name: C :execrows
UPDATE job j JOIN entry_of_account e ON j.id = e.id SET j.status = ? WHERE e.id = ?;

-- case: a view in a statement that the parser does not know
-- name: A :one
DELETE FROM rich_account WHERE id = ? RETURNING id; -- want
-- name: B :one
DELETE FROM entry_of_account WHERE id = ? RETURNING id; -- want
