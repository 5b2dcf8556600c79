-- case: a parameter
-- name: A :execrows
UPDATE account SET balance = ?,
  version = ? -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET balance = sqlc.arg(balance),
  version = sqlc.arg(new_version) -- want
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- case: a parameter that stands for the version moved up
-- name: A :execrows
UPDATE account SET balance = ?,
  version = ? + 1 -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET
  version = sqlc.arg(version) + 1 -- want
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- case: a literal
-- name: A :execrows
UPDATE account SET
  version = 1 -- want
WHERE id = ? AND version = ?;

-- case: DEFAULT
-- name: A :execrows
UPDATE account SET
  version = DEFAULT -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET
  version = DEFAULT(version) + 1 -- want
WHERE id = ? AND version = ?;

-- case: down, and by factors
-- name: A :execrows
UPDATE account SET
  version = version - 1 -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET
  version = version + -1 -- want
WHERE id = ? AND version = ?;
-- name: C :execrows
UPDATE account SET
  version = version * 2 -- want
WHERE id = ? AND version = ?;

-- case: another column, another table's version
-- name: A :execrows
UPDATE account SET
  version = balance -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account a JOIN inventory i ON i.product_id = a.id SET
  a.version = i.version + 1 -- want
WHERE a.id = ? AND a.version = ?;
-- name: C :execrows
UPDATE account a JOIN account b ON b.id = a.id + 1 SET
  a.version = b.version + 1 -- want
WHERE a.id = ? AND a.version = ?;

-- case: a column that is no step, twice itself, not whole
-- name: A :execrows
UPDATE account SET
  version = version + balance -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET
  version = version + version -- want
WHERE id = ? AND version = ?;
-- name: C :execrows
UPDATE account SET
  version = version + 0.5 -- want
WHERE id = ? AND version = ?;

-- case: a step that may be NULL
-- name: A :execrows
UPDATE account SET
  version = version + sqlc.narg(steps) -- want
WHERE id = ? AND version = ?;

-- case: functions
-- name: A :execrows
UPDATE account SET
  version = UNIX_TIMESTAMP() -- want
WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET
  version = LAST_INSERT_ID(?) -- want
WHERE id = ? AND version = ?;
-- name: C :execrows
UPDATE account SET
  version = IF(balance > 0, version + 1, version) -- want
WHERE id = ? AND version = ?;

-- case: set twice
-- name: A :execrows
UPDATE account SET version = version + 1,
  version = 5 -- want
WHERE id = ? AND version = ?;

-- case: other names
-- name: A :execrows
UPDATE customer SET credit = ?,
  lock_version = ? -- want
WHERE id = ? AND lock_version = ?;
-- name: B :execrows
UPDATE `order` SET
  `version` = ? -- want
WHERE `id` = ? AND `version` = ?;

-- case: by one
-- name: A :execrows
UPDATE account SET version = version + 1 WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET version = 1 + version WHERE id = ? AND version = ?;
-- name: C :execrows
UPDATE account SET version = ((version) + (1)) WHERE id = ? AND version = ?;

-- case: by more
-- name: A :execrows
UPDATE account SET version = version + 10 WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET version = version + ? WHERE id = ? AND version = ?;
-- name: C :execrows
UPDATE account SET version = version + sqlc.arg(steps) WHERE id = ? AND version = ?;
-- name: D :execrows
UPDATE account SET version = version + 1 + CAST(sqlc.arg(steps) AS UNSIGNED) WHERE id = ? AND version = ?;

-- case: qualified, another case, backquotes
-- name: A :execrows
UPDATE account SET account.version = account.version + 1 WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE shop.account a SET a.Version = VERSION + 1 WHERE a.id = ? AND a.version = ?;
-- name: C :execrows
UPDATE `order` SET `version`=`version`+1 WHERE `id` = ? AND `version` = ?;

-- case: the last insert id
-- name: A :execlastid
UPDATE account SET version = LAST_INSERT_ID(version + 1) WHERE id = ? AND version = ?;
-- name: B :execlastid
UPDATE account SET version = last_insert_id((version + ?)) WHERE id = ? AND version = ?;

-- case: not moved at all, which CAS002 is about
-- name: A :execrows
UPDATE account SET balance = ? WHERE id = ? AND version = ?;
-- name: B :execrows
UPDATE account SET balance = ?, version = version WHERE id = ? AND version = ?;

-- case: a table whose column is merely called version
-- name: A :execrows
UPDATE document SET version = ? WHERE id = ?;
-- name: B :execrows
UPDATE document d JOIN account a ON a.id = d.id SET d.version = a.version, a.version = a.version + 1 WHERE a.id = ? AND a.version = ?;

-- case: strings and comments
-- name: A :execrows
UPDATE ledger_entry SET memo = 'version = 5' WHERE id = ?;
-- name: B :execrows
UPDATE account SET /* version = ?, */ version = version + 1 WHERE id = ? AND version = ?;

-- case: an alias and a CTE by the versioned table's name
-- name: A :execrows
UPDATE document AS account SET account.version = ? WHERE account.id = ?;
-- name: B :execrows
WITH account AS (SELECT 1 AS id) UPDATE document d JOIN account ON account.id = d.id SET d.version = 5;

-- case: a comparison, not an assignment
-- name: A :execrows
UPDATE account SET balance = (version = ?), version = version + 1 WHERE id = ? AND version = ?;
