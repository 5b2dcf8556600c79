package vet

// preface is what docs/rules.md says before its rules.
const preface = `# Rules of sqlcas vet

<!-- Written by sqlcas explain --markdown from the rules themselves: change them, not this file. -->

` + "`sqlcas vet`" + ` finds SQL that breaks compare-and-swap on a version column, and what sqlc compiles without a
word into code that does something else. It needs no database.

` + "```sh" + `
sqlcas vet                                    # the schema and the queries that sqlc.yaml names
sqlcas vet ./...                              # and the SQL in Go code
sqlcas vet --schema db/schema ./...           # without a sqlc.yaml
sqlcas explain CAS001                         # one rule
` + "```" + `

Exit code 0 means no faults, 1 faults, 2 that vet could not run.

## What is looked at

- Schema files, migrations as sqlc reads them; a table is versioned if a column says
  ` + "`COMMENT 'sqlcas:version'`" + `, or if the options of the sqlcas plugin in sqlc.yaml name its version.
- Files of sqlc queries.
- In Go packages the SQL that is given to methods such as ` + "`ExecContext`, `QueryRow` and `Prepare`" + ` of database/sql,
  sqlx's ` + "`Get`, `Select` and `NamedExec`" + `, gorm's ` + "`Raw` and `Exec`" + `, and to methods of the same names and shapes of
  other types. Constants, concatenations of them and variables that get one constant and nothing else ever are
  known; a finding points into the literal. Function values of database/sql's shapes count too, and a constant that
  writes a versioned table or locks its rows is looked at in a call of any name. What is built at run time, by fmt.Sprintf say, is a fault if its
  constant parts write a versioned table (CAS028). Otherwise it is counted in the last line, and ` + "`-v`" + ` shows where.
- What a locking read runs on is followed through variables, fields and parameters (CAS008). Reads that may run on
  a pool and may not are counted in the last line, and ` + "`-v`" + ` shows where.
- Go files that say ` + "`// Code generated ... DO NOT EDIT.`" + ` are left out: sqlc's come of query files, which are
  checked as such. Their callers are looked at (CAS004, CAS008). Tests are left out unless ` + "`--tests`" + ` is given.

## To allow a fault

Say the rule and the reason in a comment. In SQL within the statement, or on the line above:

` + "```sql" + `
-- sqlcas:allow CAS001 the nightly job owns the table while it runs
UPDATE account SET balance = 0;
` + "```" + `

In Go on the line of the call or of the fault, or above it:

` + "```go" + `
//sqlcas:allow CAS008 the lock only waits for the writers that are there now
row := db.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = ? FOR UPDATE", id)
` + "```" + `

Several rules are separated by commas. A comment without a reason, or one that allows nothing, is a fault itself
(CAS029).

## JSON and SARIF

` + "`--format json`" + ` writes one object; fields may be added to it, and none goes away under the same version:

` + "```json" + `
{
  "version": 1,
  "findings": [
    {"rule": "CAS001", "file": "queries/account.sql", "line": 3, "column": 8, "length": 7,
     "excerpt": "UPDATE account SET balance = ? WHERE id = ?", "message": "...", "mend": "..."}
  ],
  "unknown": [{"file": "store.go", "line": 12, "column": 24}],
  "locks": [{"file": "store.go", "line": 31, "column": 9}],
  "unparsed": [{"file": "store.go", "line": 40, "column": 9, "reason": "..."}],
  "summary": {"faults": 1, "statements": 41, "unparsed": 1, "unknown": 1, "locks": 1, "files": 9, "packages": 2,
              "versioned_tables": 2}
}
` + "```" + `

"unknown" has the SQL that is built at run time and is no fault, "locks" the locking reads of which it is not known
what they run on, "unparsed" the statements that were not understood and name no versioned table; excerpts of long
lines are cut.
Lines and columns count from 1, columns and lengths in characters. ` + "`--format sarif`" + ` writes SARIF 2.1.0, which
code hosts show beside the code.

## All rules
`
