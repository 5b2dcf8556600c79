package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
)

// wrapper is a function in sight that takes a string, which may be SQL.
type wrapper struct {
	fn   *types.Func
	info *types.Info
	body inspector.Cursor
}

// wrappers are those of the loaded packages, by where they are declared. One that returns no count may look at the
// count itself, and make an error of it.
type wrappers map[slot]wrapper

func (w wrappers) note(s *scan, info *types.Info, root inspector.Cursor) {
	for cur := range root.Preorder((*ast.FuncDecl)(nil)) {
		d := cur.Node().(*ast.FuncDecl)
		if fn, ok := info.Defs[d.Name].(*types.Func); ok && d.Body != nil && firstString(fn.Signature()) >= 0 {
			w[s.slotOf(fn)] = wrapper{fn, info, cur}
		}
	}
}

// slotOf names a function by where it is declared, as flows names variables.
func (s *scan) slotOf(fn *types.Func) slot {
	at := s.fset.PositionFor(fn.Pos(), false)
	return slot{file: at.Filename, line: at.Line, name: fn.Name()}
}

// looks reports whether a function is known to look at the number of rows itself. Of a method of an interface,
// what is in sight and may be meant decides.
func (w wrappers) looks(s *scan, fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return w.counts(s, fn, map[slot]bool{})
	}
	found := false
	for _, one := range w {
		if one.fn.Name() != fn.Name() || one.fn.Signature().Recv() == nil || !blind(one.fn.Signature()) {
			continue
		}
		if !w.counts(s, one.fn, map[slot]bool{}) {
			return false
		}
		found = true
	}
	return found
}

// counts reports whether the body of a function looks at the number of rows of what it is given.
func (w wrappers) counts(s *scan, fn *types.Func, seen map[slot]bool) bool {
	at := s.slotOf(fn)
	one, ok := w[at]
	if !ok || seen[at] {
		return false
	}
	seen[at] = true
	sig := one.fn.Signature()
	query := sig.Params().At(firstString(sig))
	for cur := range one.body.Preorder((*ast.CallExpr)(nil)) {
		c := cur.Node().(*ast.CallExpr)
		inner := calleeOf(one.info, c)
		if inner == nil || inner.Name() != "RowsAffected" && !given(one.info, c, query) {
			continue
		}
		switch {
		case counts(inner.Signature()):
			if _, dropped := s.dropped(one.info, cur); !dropped {
				return true
			}
		case blind(inner.Signature()) && w.counts(s, inner, seen):
			return true
		}
	}
	return false
}

// runs reports whether a function is seen to give its text to one that takes SQL.
func (w wrappers) runs(s *scan, fn *types.Func, seen map[slot]bool) bool {
	at := s.slotOf(fn)
	one, ok := w[at]
	if !ok || seen[at] {
		return false
	}
	seen[at] = true
	sig := one.fn.Signature()
	query := sig.Params().At(firstString(sig))
	for cur := range one.body.Preorder((*ast.CallExpr)(nil)) {
		c := cur.Node().(*ast.CallExpr)
		inner := calleeOf(one.info, c)
		if inner != nil && given(one.info, c, query) && (sqlCall(one.info, c, inner) != nil || w.runs(s, inner, seen)) {
			return true
		}
	}
	return false
}

// ignores reports whether a function is seen to do nothing with its text.
func (w wrappers) ignores(s *scan, fn *types.Func) bool {
	one, ok := w[s.slotOf(fn)]
	if !ok {
		return false
	}
	sig := one.fn.Signature()
	return len(s.uses[sig.Params().At(firstString(sig))]) == 0
}

// given reports whether a variable is an argument of a call.
func given(info *types.Info, c *ast.CallExpr, v *types.Var) bool {
	for _, arg := range c.Args {
		if id, ok := ast.Unparen(arg).(*ast.Ident); ok && info.Uses[id] == v {
			return true
		}
	}
	return false
}

// forwards reports whether a call hands on the SQL that its own method was given, as wrappers do: the calls of
// the wrapper are the ones to look at, if they are seen to take SQL.
func forwards(info *types.Info, cur inspector.Cursor, query ast.Expr) bool {
	id, ok := ast.Unparen(query).(*ast.Ident)
	if !ok {
		return false
	}
	for outer := range cur.Enclosing((*ast.FuncDecl)(nil)) {
		fn, ok := info.Defs[outer.Node().(*ast.FuncDecl).Name].(*types.Func)
		if !ok || fn.Signature().Recv() == nil {
			return false
		}
		at, taker := takes(fn)
		return taker && info.Uses[id] == fn.Signature().Params().At(at)
	}
	return false
}
