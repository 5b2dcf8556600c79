package vet

import (
	"go/ast"
	"go/types"
)

// valueOf makes a function of the value that a call calls, a variable or a field, by its name and its type; nil for a
// conversion and for what the language has itself.
func valueOf(info *types.Info, c *ast.CallExpr) *types.Func {
	of := info.Types[c.Fun]
	if !of.IsValue() {
		return nil
	}
	sig, ok := of.Type.Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	name := "this function"
	switch e := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	return types.NewFunc(c.Pos(), nil, name, sig)
}

// valueCall reads a call of a function value as one that SQL is given to, by its shape alone: it returns what
// database/sql does. nil if it does not.
func (s *scan) valueCall(info *types.Info, c *ast.CallExpr, fn *types.Func) *call {
	sig := fn.Signature()
	at := firstString(sig)
	if at < 0 || at >= len(c.Args) || sig.Results().Len() == 0 {
		return nil
	}
	found := &call{fn: fn, query: c.Args[at], executor: s.bound(info, c)}
	switch databaseType(sig.Results().At(0).Type()) {
	case "Result", "Rows", "Row":
		if !fits(sig, at, variadic) {
			return nil
		}
	case "Stmt":
		if found.prepares = fits(sig, at, prepares); !found.prepares {
			return nil
		}
	default:
		return nil
	}
	return found
}

// bound is the handle of a method that a variable was given once: db of exec := db.Exec. nil if that is not known.
func (s *scan) bound(info *types.Info, c *ast.CallExpr) ast.Expr {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok {
		return nil
	}
	from, ok := s.sources.of(info.ObjectOf(id))
	if !ok || from.info != info {
		return nil
	}
	if selector, ok := ast.Unparen(from.expr).(*ast.SelectorExpr); ok && info.Selections[selector] != nil {
		return selector.X
	}
	return nil
}
