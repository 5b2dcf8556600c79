package sqlcheck

// sqlcRules are about what sqlc 1.31 compiles without a word into code that does something else; CAS028 and
// CAS029 are about what was not checked and what was allowed. What they know of sqlc has been found out by
// running it.
var sqlcRules = []Rule{
	{
		ID: "CAS019", Title: "parameter without a type", Lang: "sql", statement: checkUntyped,
		Why: "sqlc takes a parameter's type from the column beside it. Where none is, as in ? + 1, the argument becomes an " +
			"interface{}, and the compiler no longer notices that a Version was passed for a Balance. A CAST gives a type, save CAST AS " +
			"CHAR. An argument that has a type at another place of the query has it everywhere.",
		Mend: "Put a column beside the parameter, as in version + ?, or write CAST(? AS SIGNED).",
		Bad: "-- name: DueJobs :many\n" +
			"SELECT id FROM job WHERE run_at < NOW() - INTERVAL sqlc.arg(seconds) SECOND;\n",
		Good: "-- name: DueJobs :many\n" +
			"SELECT id FROM job WHERE run_at < NOW() - INTERVAL CAST(sqlc.arg(seconds) AS SIGNED) SECOND;\n",
	},
	{
		ID: "CAS020", Title: "two statements under one name", Lang: "sql", file: checkNames,
		Why: "A query is one statement. sqlc makes a method of the first one after the name and leaves the rest out, so that the " +
			"method does a part of what stands there. One name twice it refuses.",
		Mend: "Give each statement a name, and call the methods one after the other in a transaction.",
		Bad: "-- name: Enter :exec\n" +
			"INSERT INTO ledger_entry (account_id, amount, memo) VALUES (?, ?, ?);\n" +
			"INSERT INTO audit_log (at, message) VALUES (?, ?);\n",
		Good: "-- name: Enter :exec\n" +
			"INSERT INTO ledger_entry (account_id, amount, memo) VALUES (?, ?, ?);\n\n" +
			"-- name: Audit :exec\n" +
			"INSERT INTO audit_log (at, message) VALUES (?, ?);\n",
	},
	{
		ID: "CAS021", Title: "statement that sqlc drops", Lang: "sql", file: checkDropped,
		Why: "sqlc makes no method of SET, START TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, LOCK TABLES, DO and the like, and none of a " +
			"statement without a name. It says nothing about it while there is another query. A transaction that was written into a " +
			"query file is none.",
		Mend: "Take it out and send it from Go: transactions by UpdateTx or BeginTx, the rest by ExecContext.",
		Bad: "-- name: Begin :exec\n" +
			"START TRANSACTION;\n",
		Good: "-- name: GetAccount :one\n" +
			"SELECT id, owner, balance, version FROM account WHERE id = ?;\n",
	},
	{
		ID: "CAS022", Title: "lock function that cannot be scanned", Lang: "sql", statement: checkLockFunction,
		Why: "GET_LOCK, RELEASE_LOCK, IS_FREE_LOCK and IS_USED_LOCK return NULL where something is wrong, and IS_USED_LOCK returns the " +
			"number of a connection. sqlc makes a bool of each, and Scan fails just when the answer matters. CONNECTION_ID becomes an int32.",
		Mend: "Write CAST(COALESCE(GET_LOCK(...), -1) AS SIGNED) AS got, with the CAST around all of it.",
		Bad: "-- name: TryLock :one\n" +
			"SELECT GET_LOCK(sqlc.arg(name), 0) AS got;\n",
		Good: "-- name: TryLock :one\n" +
			"SELECT CAST(COALESCE(GET_LOCK(sqlc.arg(name), 0), -1) AS SIGNED) AS got;\n",
	},
	{
		ID: "CAS023", Title: "aggregate without a type", Lang: "sql", statement: checkAggregate,
		Why: "sqlc has no type for SUM, MIN, MAX, AVG and window functions, nor for COALESCE and IFNULL of one: the column becomes an " +
			"interface{} that holds []byte or int64, whichever the protocol gives. With + 1 behind it, it becomes an int32 and overflows in Scan.",
		Mend: "Write CAST(COALESCE(SUM(x), 0) AS SIGNED), with the CAST around all of it: inside of COALESCE it does nothing.",
		Bad: "-- name: Total :one\n" +
			"SELECT COALESCE(SUM(amount), 0) AS total FROM ledger_entry;\n",
		Good: "-- name: Total :one\n" +
			"SELECT CAST(COALESCE(SUM(amount), 0) AS SIGNED) AS total FROM ledger_entry;\n",
	},
	{
		ID: "CAS024", Title: "guard on a nullable column", Lang: "sql", statement: checkNullable,
		Why: "A parameter that is compared with a column that may be NULL becomes a sql.Null type. Its zero value, or one whose Valid was " +
			"forgotten, is NULL, and a comparison with NULL matches no row: an UPDATE then looks like a conflict that never ends.",
		Mend: "Declare the column NOT NULL, or write CAST(? AS SIGNED). Where NULL is meant, say so with sqlc.narg or <=>.",
		Bad: "-- name: RichCustomers :many\n" +
			"SELECT id FROM customer WHERE credit >= sqlc.arg(credit);\n",
		Good: "-- name: RichCustomers :many\n" +
			"SELECT id FROM customer WHERE credit >= CAST(sqlc.arg(credit) AS SIGNED);\n",
	},
	{
		ID: "CAS025", Title: "slice in a prepared query", Lang: "sql", statement: checkSlice,
		Why: "With emit_prepared_queries, Prepare prepares the statement as it is before the slice is written out, which is a statement of " +
			"one value that nobody runs. The query itself is sent unprepared.",
		Mend: "Keep queries with sqlc.slice in a package whose sqlc.yaml does not emit prepared queries.",
		Bad: "-- name: GetAccounts :many\n" +
			"SELECT id, balance FROM account WHERE id IN (sqlc.slice('ids'));\n",
		Good: "-- name: GetAccount :one\n" +
			"SELECT id, balance FROM account WHERE id = sqlc.arg(id);\n",
	},
	{
		ID: "CAS026", Title: "only parameter is repeated", Lang: "sql", statement: checkRepeated,
		Why: "A method takes plain arguments up to query_parameter_limit, one by default, but a single sqlc.arg that is written twice counts " +
			"as two: the method takes a struct with one field.",
		Mend: "Write the value once, or allow it where the struct is all right.",
		Bad: "-- name: Find :many\n" +
			"SELECT id FROM account WHERE owner = sqlc.arg(word) OR owner LIKE sqlc.arg(word);\n",
		Good: "-- name: Find :many\n" +
			"SELECT id FROM account WHERE owner LIKE sqlc.arg(word);\n",
	},
	{
		ID: "CAS027", Title: "unsigned result as a signed type", Lang: "sql", statement: checkSigned,
		Why: "CRC32 and INET_ATON return 32 bits without a sign, and sqlc makes an int32 of them: Scan fails for every other value. " +
			"UUID_SHORT returns 64 of them, and becomes an int64.",
		Mend: "Write CAST(CRC32(x) AS UNSIGNED), which becomes an int64.",
		Bad: "-- name: Checksum :one\n" +
			"SELECT CRC32(title) AS sum FROM document WHERE id = ?;\n",
		Good: "-- name: Checksum :one\n" +
			"SELECT CAST(CRC32(title) AS UNSIGNED) AS sum FROM document WHERE id = ?;\n",
	},
	{
		ID: "CAS028", Title: "statement that was not checked", Lang: "sql", statement: checkUnparsed,
		Why: "The parser knows MySQL. Of MariaDB it lacks RETURNING, FOR SYSTEM_TIME and more, and a statement that it does not know is " +
			"never guessed at: no rule looked at what it does to the versioned table that it names. A view of one table is followed to the " +
			"table; a write through any other view is not. The same is true of SQL that Go code builds " +
			"at run time, if its constant parts are an UPDATE, DELETE, REPLACE or INSERT ... ON DUPLICATE KEY of a versioned table: the part " +
			"that only the running program knows may compare the version or not. Of concatenations, fmt.Sprintf and strings.Builder within " +
			"one function the parts are known; what another function returns, or was given, is not.",
		Mend: "Write it in a way that the parser knows, or look at it yourself and allow it with a reason. In Go, write it as a constant.",
		Bad: "-- name: Take :one\n" +
			"DELETE FROM account WHERE id = ? AND version = ? RETURNING balance;\n",
		Good: "-- name: Take :execrows\n" +
			"DELETE FROM account WHERE id = ? AND version = ?;\n",
	},
	{
		ID: "CAS029", Title: "allow comment that allows nothing", Lang: "sql",
		Why: "A comment `sqlcas:allow CAS001 reason` takes a finding away. Without a reason nobody can say later whether it still holds; with " +
			"a rule that does not exist, or where that rule finds nothing any more, it hides only that it does nothing.",
		Mend: "Write the rules that the statement breaks and a reason, or take the comment out.",
		Bad: "-- name: Get :one\n" +
			"-- sqlcas:allow CAS001 it is only read\n" +
			"SELECT id, balance, version FROM account WHERE id = ?;\n",
		Good: "-- name: Get :one\n" +
			"SELECT id, balance, version FROM account WHERE id = ?;\n",
	},
	{
		ID: "CAS030", Title: "parameter that does not arrive", Lang: "sql", statement: checkLost,
		Why: "sqlc does not look into NOT, a minus, REGEXP, COLLATE, ANY and ALL, IS TRUE, windows, ON of a multi-table UPDATE, and ORDER BY of " +
			"UPDATE and DELETE; of BETWEEN and IN it knows only those with a column on the left. What is in there is no argument of the " +
			"method, and the server refuses the statement, or sqlc.arg(x) in it. If two tables have the column of a BETWEEN, it gets too many.",
		Mend: "Write plain comparisons: balance >= ? for NOT balance < ?, two comparisons for BETWEEN of an expression.",
		Bad: "-- name: Poor :many\n" +
			"SELECT id FROM account WHERE NOT balance >= sqlc.arg(balance);\n",
		Good: "-- name: Poor :many\n" +
			"SELECT id FROM account WHERE balance < sqlc.arg(balance);\n",
	},
}
