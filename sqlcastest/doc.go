// Package sqlcastest lets the tests of a program that uses sqlcas have what is rare in life: an
// update that loses to another writer, a COMMIT that fails, and a COMMIT whose answer is lost.
//
// Wrap the driver's connector, open the *sql.DB with sql.OpenDB, and order faults while the test
// runs. Nothing else changes: the statements, the server and the program are the real ones.
//
//	var faults sqlcastest.Faults
//	db := sql.OpenDB(sqlcastest.Wrap(connector, &faults))
//	faults.Conflict(2)                 // the next two updates lose
//	err := accounts.Deduct(ctx, 42, 100) // must have deducted once
//
// A closure that keeps something of an attempt that was lost, such as an element appended to a
// slice of its caller's, shows it under two forced conflicts.
package sqlcastest
