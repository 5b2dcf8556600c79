package sqlcheck

import "github.com/sqlc-dev/marino/ast"

// IsSwap reports whether a statement is a compare-and-swap of a versioned table: an UPDATE or DELETE whose row
// count says whether it has happened.
func (s *Statement) IsSwap(c *Catalog) bool {
	w := writeOf(c, s)
	if w == nil {
		return false
	}
	for _, r := range w.versioned() {
		if w.checksVersion(r) {
			return true
		}
	}
	return false
}

// Locks reports whether a statement is a read that locks what it reads. An INSERT that selects FOR UPDATE is
// none: it needs its locks no longer than it takes.
func (s *Statement) Locks() bool {
	switch s.Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		return len(lockingReads(nil, s)) > 0
	}
	return false
}

// Begins reports whether a statement begins a transaction.
func (s *Statement) Begins() bool {
	_, ok := s.Node.(*ast.BeginStmt)
	return ok
}
