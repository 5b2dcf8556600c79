// Package bytes has a type for keys, and the name of a standard package.
package bytes

// ID is a key.
type ID string
