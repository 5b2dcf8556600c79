// Package cmp has a type for money, and the name of a standard package.
package cmp

// Money is in cents.
type Money int64
