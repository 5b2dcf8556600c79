package vet

import (
	"go/ast"
	"go/types"
)

// kinds is a set of what a handle may be: what it is for sure if there is one in it.
type kinds uint8

const (
	isPool  kinds = 1 << iota // each statement on it may run on another connection, in a transaction of its own
	isTx                      // a transaction, or a connection, which may be in one
	isOther                   // not known
)

// handle is what runs a statement.
type handle struct {
	kinds kinds
	from  ast.Expr // a pool that a variable, field or parameter was found to be given; nil if the call names it
}

func (h handle) onPool() bool { return h.kinds == isPool }

// unknown reports whether a handle may be a pool and may be none.
func (h handle) unknown() bool { return h.kinds != isPool && h.kinds != isTx }

// handleOf follows an expression to all that it may be.
func (s *scan) handleOf(info *types.Info, expr ast.Expr) handle {
	t := trace{scan: s, seen: map[slot]bool{}}
	return handle{t.expr(info, expr), t.from}
}

// handleOfCall is what a call of a method runs on. The method may be one of an embedded handle.
func (s *scan) handleOfCall(info *types.Info, c *ast.CallExpr, executor ast.Expr) handle {
	selector, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if ok && selector.X == executor {
		if field := promoter(info.Selections[selector]); field != nil {
			t := trace{scan: s, seen: map[slot]bool{}}
			return handle{t.object(field), t.from}
		}
	}
	return s.handleOf(info, executor)
}

// handleOfSQL is what a call that SQL is given to runs on. A type's own method is not known, whatever it wraps: it
// may look for a transaction in the context.
func (s *scan) handleOfSQL(info *types.Info, c *ast.CallExpr, sql *call) handle {
	recv := sql.fn.Signature().Recv()
	if recv == nil || types.IsInterface(recv.Type()) {
		return s.handleOfCall(info, c, sql.executor)
	}
	if k := kindOf(recv.Type()); k != 0 {
		return handle{kinds: k}
	}
	return handle{kinds: isOther}
}

// promoter returns the embedded field whose method a selector names; nil if the method is the type's own.
func promoter(sel *types.Selection) *types.Var {
	if sel == nil {
		return nil
	}
	var field *types.Var
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		fields := structOf(t)
		if fields == nil {
			return nil
		}
		field = fields.Field(i)
		t = field.Type()
	}
	return field
}

// trace follows where a handle comes from.
type trace struct {
	scan *scan
	seen map[slot]bool
	from ast.Expr
}

func (t *trace) expr(info *types.Info, expr ast.Expr) kinds {
	if expr == nil {
		return isOther
	}
	expr = ast.Unparen(expr)
	if info.Types[expr].IsNil() {
		return 0 // nothing runs on it
	}
	if k := kindOfValue(info.TypeOf(expr)); k != 0 {
		if k == isPool && t.from == nil && len(t.seen) > 0 {
			t.from = expr
		}
		return k
	}
	switch e := expr.(type) {
	case *ast.Ident:
		return t.object(info.ObjectOf(e))
	case *ast.SelectorExpr:
		return t.object(info.ObjectOf(e.Sel))
	case *ast.TypeAssertExpr:
		return t.expr(info, e.X)
	case *ast.StarExpr:
		return t.expr(info, e.X)
	case *ast.UnaryExpr:
		return t.expr(info, e.X)
	case *ast.CallExpr:
		return t.call(info, e)
	}
	return isOther
}

// object follows a variable, a parameter or a field to all that it is given.
func (t *trace) object(o types.Object) kinds {
	v, ok := o.(*types.Var)
	if !ok {
		return isOther
	}
	if k := kindOf(v.Type()); k != 0 { // an embedded one
		return k
	}
	at := t.scan.flows.slot(v)
	if t.seen[at] {
		return 0
	}
	t.seen[at] = true
	values, ok := t.scan.flows.of(v)
	if !ok {
		return isOther
	}
	var all kinds
	for _, from := range values {
		all |= t.expr(from.info, from.expr)
	}
	return all
}

// call follows DBTX(db), New(db) and WithTx(tx) of generated code, and db.Prepare.
func (t *trace) call(info *types.Info, c *ast.CallExpr) kinds {
	if info.Types[c.Fun].IsType() {
		return t.expr(info, c.Args[0])
	}
	fn := calleeOf(info, c)
	if fn == nil {
		return isOther
	}
	g, file := t.scan.generated, t.scan.fileOf(fn)
	if len(c.Args) > 0 && (g.constructor(fn, file) || fn.Name() == "WithTx" && g.written(file)) {
		return t.expr(info, c.Args[len(c.Args)-1])
	}
	if sql := sqlCall(info, c, fn); sql != nil && sql.prepares {
		return t.scan.handleOfSQL(info, c, sql).kinds
	}
	return isOther
}

// kindOf tells by a type alone; 0 if that does not do.
func kindOf(t types.Type) kinds {
	switch databaseType(t) {
	case "DB":
		return isPool
	case "Tx", "Conn":
		return isTx
	}
	return 0
}

// databaseType is the name of a type of database/sql or sqlx, or of what points to one; empty for other types.
func databaseType(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	if path := n.Obj().Pkg().Path(); path != "database/sql" && path != sqlxPath {
		return ""
	}
	return n.Obj().Name()
}

// kindOfValue tells also what wraps a handle and leaves its methods as they are.
func kindOfValue(t types.Type) kinds {
	if results, ok := t.(*types.Tuple); ok && results.Len() > 0 {
		t = results.At(0).Type() // no other one is followed
	}
	if t == nil {
		return 0
	}
	if k := kindOf(t); k != 0 {
		return k
	}
	var all kinds
	for _, name := range []string{"ExecContext", "QueryContext", "QueryRowContext"} {
		o, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		method, ok := o.(*types.Func)
		if !ok {
			return 0
		}
		k := kindOf(method.Signature().Recv().Type())
		if k == 0 {
			return 0
		}
		all |= k
	}
	return all
}
