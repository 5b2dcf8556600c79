// Package operation keeps the ids of operations that have been applied, in the table sqlcas_operation. The
// root's RetryTx and both Stores use it in the transactions of the changes that the ids stand for.
//
// Find says which ids are there, Insert enters new ones as the last statement before the COMMIT, and Applied
// tells after a COMMIT whose answer was lost whether it was carried out. Target writes down what an
// operation changes, and Delete removes old ids.
package operation
