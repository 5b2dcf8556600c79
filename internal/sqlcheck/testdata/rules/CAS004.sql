-- case: exec
-- name: DeductBalance :exec -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: delete
-- name: DeleteAccount :exec -- want
DELETE FROM account WHERE id = ? AND version = ?;

-- case: exec with comments after the head
-- name: DeductBalance :exec -- want
-- It says :execrows in this comment only.
-- @cas
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: execlastid of something else
-- name: DeductBalance :execlastid -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: one and many
-- name: A :one -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;
-- name: B :many -- want
DELETE FROM account WHERE id = ? AND version = ?;

-- case: an alias, a join
-- name: A :exec -- want
UPDATE account AS a SET a.balance = ?, a.version = a.version + 1 WHERE a.id = ? AND a.version = ?;
-- name: B :exec -- want
DELETE a FROM account a JOIN ledger_entry l ON l.account_id = a.id WHERE a.id = ? AND a.version = ?;

-- case: a column of another name, reserved words
-- name: A :exec -- want
UPDATE customer SET credit = ?, lock_version = lock_version + 1 WHERE id = ? AND lock_version = ?;
-- name: B :exec -- want
UPDATE `order` SET `group` = ?, `version` = `version` + 1 WHERE `id` = ? AND ? = `version`;

-- case: the version does not move, but is compared
-- name: A :exec -- want
UPDATE account SET balance = ? WHERE id = ? AND version = ?;

-- case: a batch
-- name: A :batchexec -- want
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: execrows
-- name: A :execrows
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: execresult
-- name: A :execresult
DELETE FROM account WHERE id = ? AND version = ?;

-- case: execlastid of the new version
-- name: A :execlastid
UPDATE account SET balance = ?, version = LAST_INSERT_ID(version + 1) WHERE id = ? AND version = ?;

-- case: no compare-and-swap, which CAS001 is about
-- name: A :exec
UPDATE account SET balance = ?, version = version + 1 WHERE id = ?;
-- name: B :exec
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version >= ?;

-- case: not versioned
-- name: A :exec
UPDATE document SET title = ?, version = version + 1 WHERE id = ? AND version = ?;
-- name: B :exec
UPDATE account_archive SET version = version + 1 WHERE id = ? AND version = ?;

-- case: the versioned table is only read
-- name: A :exec
UPDATE ledger_entry l JOIN account a ON a.id = l.account_id SET l.memo = ? WHERE a.id = ? AND a.version = ?;

-- case: no sqlc query
UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?;

-- case: other statements
-- name: A :exec
INSERT INTO account (owner, balance) VALUES (?, ?);
-- name: B :one
SELECT id FROM account WHERE id = ? AND version = ?;

-- case: an alias and a CTE by the versioned table's name, a string
-- name: A :exec
DELETE FROM document AS account WHERE account.id = ? AND account.version = ?;
-- name: B :exec
UPDATE ledger_entry SET memo = 'UPDATE account SET version = version + 1 WHERE version = 1' WHERE id = ?;
