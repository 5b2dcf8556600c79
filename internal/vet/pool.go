package vet

import (
	"go/ast"
	"go/types"
)

// onPool reports whether an expression is a pool of connections, or is known to hold one: a *sql.DB, an
// interface that was assigned one, a type that embeds one, a statement prepared on one, or generated queries
// made of one. Of what comes from elsewhere, a parameter say, only the type is known: an interface may as well
// hold a transaction, and is none.
func (s *scan) onPool(info *types.Info, expr ast.Expr) bool {
	return s.poolWithin(info, expr, maxSteps)
}

func (s *scan) poolWithin(info *types.Info, expr ast.Expr, steps int) bool {
	if steps == 0 || expr == nil {
		return false
	}
	expr = ast.Unparen(expr)
	if t := info.TypeOf(expr); t != nil && isPool(t) {
		return true
	}
	switch e := expr.(type) {
	case *ast.Ident:
		return s.poolSource(info.ObjectOf(e), steps)
	case *ast.SelectorExpr: // a variable of another package; of a field nothing is known
		return s.poolSource(info.ObjectOf(e.Sel), steps)
	case *ast.TypeAssertExpr:
		return s.poolWithin(info, e.X, steps-1)
	case *ast.UnaryExpr:
		return s.poolWithin(info, e.X, steps-1)
	case *ast.CallExpr:
		return s.poolCall(info, e, steps)
	}
	return false
}

func (s *scan) poolSource(o types.Object, steps int) bool {
	from, ok := s.sources.of(o)
	return ok && s.poolWithin(from.info, from.expr, steps-1)
}

// poolCall follows DBTX(db), New(db) of generated code and db.Prepare.
func (s *scan) poolCall(info *types.Info, c *ast.CallExpr, steps int) bool {
	if info.Types[c.Fun].IsType() {
		return len(c.Args) == 1 && s.poolWithin(info, c.Args[0], steps-1)
	}
	fn := calleeOf(info, c)
	if fn == nil {
		return false
	}
	if s.generated.constructor(fn, s.fileOf(fn)) && len(c.Args) > 0 {
		return s.poolWithin(info, c.Args[len(c.Args)-1], steps-1)
	}
	if sql := sqlCall(info, c, fn); sql != nil && sql.prepares {
		return s.poolReceiver(info, c, fn) || s.poolWithin(info, sql.executor, steps-1)
	}
	return false
}

// poolReceiver reports whether the method that a call ends up in is one of a pool: so it is for a type that
// embeds *sql.DB.
func (s *scan) poolReceiver(info *types.Info, c *ast.CallExpr, fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil || !isPool(recv.Type()) {
		return false
	}
	_, method := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	return method
}
