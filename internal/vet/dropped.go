package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// uses knows where variables are used.
type uses map[types.Object][]inspector.Cursor

func usesOf(info *types.Info, root inspector.Cursor, into uses) {
	for cur := range root.Preorder((*ast.Ident)(nil)) {
		if v, ok := info.Uses[cur.Node().(*ast.Ident)].(*types.Var); ok {
			into[v] = append(into[v], cur)
		}
	}
}

// counts reports whether the first result of a function tells how many rows were written: a count, or
// something that has one, such as sql.Result and gorm's DB.
func counts(sig *types.Signature) bool {
	if sig.Results().Len() == 0 {
		return false
	}
	t := sig.Results().At(0).Type()
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()&types.IsInteger != 0
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, "RowsAffected")
	return o != nil
}

// blind reports whether a function has no way to tell how many rows were written: it returns nothing but an error,
// or rows, which a write has none of.
func blind(sig *types.Signature) bool {
	results := sig.Results()
	if results.Len() == 0 || results.Len() == 1 && isError(results.At(0).Type()) {
		return true
	}
	name := databaseType(results.At(0).Type())
	return name == "Rows" || name == "Row"
}

// dropped reports whether nobody looks at the first result of a call, and where that shows: at the blank that
// it is assigned to, at the variable that goes unused, or at the call itself. A result that is passed on or
// returned is looked at.
func (s *scan) dropped(info *types.Info, cur inspector.Cursor) (ast.Node, bool) {
	self := cur.Node()
	if c, ok := self.(*ast.CallExpr); ok {
		if selector, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
			self = selector.Sel
		}
	}
	for ; cur.ParentEdgeKind() == edge.ParenExpr_X; cur = cur.Parent() {
	}
	parent := cur.Parent()
	switch p := parent.Node().(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return self, true
	case *ast.SelectorExpr: // gorm: db.Exec(...).Error
		return self, p.Sel.Name == "Error"
	case *ast.AssignStmt:
		_, i := cur.ParentEdge()
		return s.target(info, p.Lhs[i])
	case *ast.ValueSpec:
		_, i := cur.ParentEdge()
		return s.target(info, p.Names[i])
	}
	return nil, false
}

// target reports whether nobody looks at what is assigned to an expression.
func (s *scan) target(info *types.Info, expr ast.Expr) (ast.Node, bool) {
	id, ok := ast.Unparen(expr).(*ast.Ident)
	if !ok {
		return nil, false
	}
	if id.Name == "_" {
		return id, true
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok || s.sources.often[v] || v.Parent() == v.Pkg().Scope() {
		return nil, false
	}
	for _, use := range s.uses[v] {
		if !s.ignores(info, use) {
			return nil, false
		}
	}
	return id, true
}

// ignores reports whether a use of a variable, a count or what has one, does not look at the count.
func (s *scan) ignores(info *types.Info, use inspector.Cursor) bool {
	kind, i := use.ParentEdge()
	switch p := use.Parent().Node().(type) {
	case *ast.AssignStmt:
		if kind == edge.AssignStmt_Lhs {
			return true // written, not read
		}
		id, ok := p.Lhs[min(i, len(p.Lhs)-1)].(*ast.Ident)
		return ok && id.Name == "_"
	case *ast.SelectorExpr:
		switch p.Sel.Name {
		case "Error", "LastInsertId":
			return true
		case "RowsAffected":
			if outer := use.Parent().Parent(); use.Parent().ParentEdgeKind() == edge.CallExpr_Fun {
				_, dropped := s.dropped(info, outer)
				return dropped
			}
		}
	}
	return false
}
