// Package architecture holds the tests that keep the module in its shape: who may import whom, that
// every package and exported name is documented, and how long files and functions may be. It has no
// code of its own.
//
// A package or an import that is meant to be new needs a row in the table of imports_test.go; that
// is the moment to think about where it belongs.
package architecture
