package vet

import (
	"github.com/sqlc-dev/marino/ast"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// isSwap reports whether a statement is a compare-and-swap, whose row count says whether it took place. The rule
// about queries that drop the count is asked, so that SQL in files and in Go code is judged alike.
func isSwap(in sqlcheck.Input, s *sqlcheck.Statement) bool {
	if !writes(s) {
		return false
	}
	probe := *s
	probe.Query = &sqlcheck.Query{Name: "Probe", Command: "exec", Span: s.Span}
	for _, f := range sqlcheck.Check(in, &probe) {
		if f.Rule == "CAS004" {
			return true
		}
	}
	return false
}

func writes(s *sqlcheck.Statement) bool {
	switch s.Node.(type) {
	case *ast.UpdateStmt, *ast.DeleteStmt:
		return true
	}
	return false
}

func begins(s *sqlcheck.Statement) bool {
	_, ok := s.Node.(*ast.BeginStmt)
	return ok
}

// locks reports whether a statement is a read that locks what it reads. An INSERT that selects FOR UPDATE is
// none: it needs its locks no longer than it takes.
func locks(s *sqlcheck.Statement) bool {
	switch s.Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		var l lockFinder
		s.Node.Accept(&l)
		return l.found
	}
	return false
}

// lockFinder looks for a locking clause, in subqueries too.
type lockFinder struct{ found bool }

// Enter is part of ast.Visitor.
func (l *lockFinder) Enter(n ast.Node) (ast.Node, bool) {
	if s, ok := n.(*ast.SelectStmt); ok && s.LockInfo != nil && s.LockInfo.LockType != ast.SelectLockNone {
		l.found = true
	}
	return n, l.found
}

// Leave is part of ast.Visitor.
func (l *lockFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
