package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
)

// prepared is a statement that was prepared in sight, with what it runs on.
type prepared struct {
	source
	sql *call
	on  handle
}

// binders make a statement one of a transaction: tx.Stmt(stmt).
var binders = map[string]bool{
	"Stmt": true, "StmtContext": true, "Stmtx": true, "StmtxContext": true, "NamedStmt": true, "NamedStmtContext": true,
}

// scanPrepared looks at a call of a statement that was prepared in sight: stmt.Exec(...), s.stmt.Exec(...),
// tx.Stmt(stmt).Exec(...).
func (s *scan) scanPrepared(info *types.Info, cur inspector.Cursor, fn *types.Func) bool {
	c := cur.Node().(*ast.CallExpr)
	selector, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if _, runs := takers[fn.Name()]; !ok || !runs {
		return false
	}
	all := s.preparedOf(info, selector.X, map[slot]bool{})
	for _, p := range all {
		text, ok := s.literalOf(p.info, p.sql.query)
		if !ok {
			continue
		}
		for _, statement := range s.parse(text, p.sql.mark) {
			s.checkRun(info, cur, fn, statement, p.on)
		}
	}
	return len(all) > 0
}

// preparedOf follows an expression to all the statements that it may be; there are none if one of them is out of
// sight.
func (s *scan) preparedOf(info *types.Info, expr ast.Expr, seen map[slot]bool) []prepared {
	switch e := ast.Unparen(expr).(type) {
	case *ast.Ident:
		return s.preparedIn(info.ObjectOf(e), seen)
	case *ast.SelectorExpr:
		return s.preparedIn(info.ObjectOf(e.Sel), seen)
	case *ast.CallExpr:
		maker := calleeOf(info, e)
		if maker == nil {
			if fn := valueOf(info, e); fn != nil {
				return s.preparedBy(info, e, s.valueCall(info, e, fn))
			}
			return nil
		}
		if recv := maker.Signature().Recv(); recv != nil && binders[maker.Name()] && kindOf(recv.Type()) == isTx && len(e.Args) > 0 {
			all := s.preparedOf(info, e.Args[len(e.Args)-1], seen)
			for i := range all {
				all[i].on = handle{kinds: isTx}
			}
			return all
		}
		return s.preparedBy(info, e, sqlCall(info, e, maker))
	}
	return nil
}

// preparedBy is the statement that a call prepares, if it prepares one.
func (s *scan) preparedBy(info *types.Info, c *ast.CallExpr, sql *call) []prepared {
	if sql == nil || !sql.prepares {
		return nil
	}
	return []prepared{{source{c, info}, sql, s.handleOf(info, c)}}
}

// preparedIn follows a variable, a parameter or a field.
func (s *scan) preparedIn(o types.Object, seen map[slot]bool) []prepared {
	v, ok := o.(*types.Var)
	if !ok || seen[s.flows.slot(v)] {
		return nil
	}
	seen[s.flows.slot(v)] = true
	values, ok := s.flows.of(v)
	if !ok {
		return nil
	}
	var all []prepared
	for _, from := range values {
		if !from.info.Types[from.expr].IsNil() {
			all = append(all, s.preparedOf(from.info, from.expr, seen)...)
		}
	}
	return all
}
