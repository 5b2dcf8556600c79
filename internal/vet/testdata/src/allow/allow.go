// Package allow has comments that allow faults.
package allow

import "database/sql"

const lock = "SELECT balance FROM account WHERE id = ? FOR UPDATE"

func above(db *sql.DB) {
	//sqlcas:allow CAS001 the nightly job is alone
	db.Exec("DELETE FROM account WHERE id = 1")

	// Words before it do no harm.
	// sqlcas:allow CAS001 the nightly job is alone
	// Words after it neither.
	db.Exec("DELETE FROM account WHERE id = 2")
}

func behind(db *sql.DB) *sql.Row {
	db.Exec("DELETE FROM account WHERE id = 3") // sqlcas:allow CAS001 the nightly job is alone
	return db.QueryRow(lock, 1)                 //sqlcas:allow CAS008 only waits for the writers of now
}

//sqlcas:allow CAS001 at the literal it holds for all calls
const wipe = "DELETE FROM account WHERE id = 4"

func first(db *sql.DB) { db.Exec(wipe) }

func several(tx *sql.Tx) {
	tx.Exec( //sqlcas:allow CAS001 the call is here, the fault below
		`DELETE FROM account
		WHERE id = 5`)
}

func inSQL(db *sql.DB) {
	db.Exec(`-- sqlcas:allow CAS001 the nightly job is alone
		DELETE FROM account WHERE id = 10`)
}

func before(db *sql.DB) {
	/* sqlcas:allow CAS001 the nightly job is alone */ db.Exec("DELETE FROM account WHERE id = 11")
	//sqlcas:allow CAS001: the nightly job is alone
	db.Exec("DELETE FROM account WHERE id = 12")
	//sqlcas:allow CAS007,CAS001 : the nightly job is alone
	db.Exec("DELETE FROM account")
}

func thisLine(db *sql.DB) {
	/* sqlcas:allow CAS001 holds for this line alone */ db.Exec("DELETE FROM account WHERE id = 13")
	db.Exec("DELETE FROM account WHERE id = 14") // want CAS001

	//sqlcas:allow CAS001: // want CAS029
}

func twice(db *sql.DB, other *sql.DB) {
	db.Exec("DELETE FROM account WHERE id = 6") // want CAS001

	//sqlcas:allow CAS001 does not reach over an empty line // want CAS029

	other.Exec("DELETE FROM account WHERE id = 7") // want CAS001
}

func mute(db *sql.DB) {
	db.Exec("DELETE FROM account WHERE id = 8") /*sqlcas:allow CAS001*/ // want CAS001 CAS029
}

func wrong(db *sql.DB) {
	//sqlcas:allow CAS008 this one is not found // want CAS029
	db.Exec("DELETE FROM account WHERE id = 9") // want CAS001

	//sqlcas:allow CAS999 there is no such rule // want CAS029
	db.Exec("DELETE FROM note")
}
