// Package versioned is what both Stores do with a row of a sqlcas.Table: read it and look at its
// version, run a closure on it and see that it kept to its rules, swap it, and say what went wrong.
//
// How a row is locked, written and committed, and what is tried again, is the Stores' own.
package versioned
