// Package vet looks for faults in a program's SQL: in its schema files, in its sqlc queries and in the string
// literals of its Go code. It is what `sqlcas vet` runs.
//
// The rules are sqlcheck's. What vet adds is where SQL comes from, and the faults that only Go shows: a
// compare-and-swap whose row count nobody looks at (CAS004), a locking read that runs outside of a transaction
// (CAS008), and a write of a versioned table that a program builds at run time (CAS028). Other SQL that is built at
// run time, and locking reads of which it is not known what they run on, are counted, so that nobody takes silence
// for an answer.
package vet
