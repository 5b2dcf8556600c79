// Package versioned is what both Stores do with a row of a sqlcas.Table: read it and look at its
// version, run a closure on it and see that it kept to its rules, swap it, and say what went wrong.
//
// How a row is read, locked and committed is the Stores' own; nothing here begins a transaction or
// tries again.
package versioned
