package vet

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

const (
	sqlxPath = "github.com/jmoiron/sqlx"
	gormPath = "gorm.io/gorm"
)

// shape is what a method that takes SQL has after the SQL.
type shape int

const (
	variadic shape = iota // values for the parameters: Exec(query string, args ...any)
	named                 // one struct or map with them: NamedExec(query string, arg any)
	prepares              // nothing: Prepare(query string) (*sql.Stmt, error)
)

// takers are the methods that take SQL, by name: of database/sql, sqlx, gorm, and of every type that has a
// method of this name and shape, as wrappers do.
var takers = map[string]shape{
	"Exec": variadic, "ExecContext": variadic, "MustExec": variadic, "MustExecContext": variadic,
	"Query": variadic, "QueryContext": variadic, "QueryRow": variadic, "QueryRowContext": variadic,
	"Queryx": variadic, "QueryxContext": variadic, "QueryRowx": variadic, "QueryRowxContext": variadic,
	"Get": variadic, "GetContext": variadic, "Select": variadic, "SelectContext": variadic, "Raw": variadic,
	"NamedExec": named, "NamedExecContext": named, "NamedQuery": named, "NamedQueryContext": named,
	"Prepare": prepares, "PrepareContext": prepares, "Preparex": prepares, "PreparexContext": prepares,
	"PrepareNamed": prepares, "PrepareNamedContext": prepares,
}

// call is a call of a method that takes SQL.
type call struct {
	fn       *types.Func
	query    ast.Expr // the SQL
	executor ast.Expr // what runs it: db of db.Exec; nil if that cannot be told
	prepares bool
	mark     byte // what names of parameters begin with: ':' or '@'; 0 if there are none
}

// calleeOf returns the function or method that a call names, generic ones without their types; nil for a
// function value.
func calleeOf(info *types.Info, c *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(info, c).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// sqlCall reads a call as one of a method that takes SQL; nil if it is none. Names alone would not do:
// http.Header has a Get, too.
func sqlCall(info *types.Info, c *ast.CallExpr, fn *types.Func) *call {
	want := takers[fn.Name()]
	at, ok := takes(fn)
	if !ok || at >= len(c.Args) || c.Ellipsis.IsValid() && want != variadic {
		return nil
	}
	found := &call{fn: fn, query: c.Args[at], prepares: want == prepares}
	switch selector, method := ast.Unparen(c.Fun).(*ast.SelectorExpr); {
	case fn.Signature().Recv() != nil && method:
		found.executor = selector.X
	case fn.Pkg() == nil || fn.Pkg().Path() != sqlxPath:
		return nil
	case len(c.Args) > 0: // sqlx.Get(db, ...), sqlx.GetContext(ctx, db, ...)
		found.executor = c.Args[0]
		if strings.HasSuffix(fn.Name(), "Context") {
			found.executor = c.Args[1]
		}
	}
	switch {
	case want == named || strings.HasPrefix(fn.Name(), "PrepareNamed"):
		found.mark = ':'
	case fn.Pkg() != nil && fn.Pkg().Path() == gormPath:
		found.mark = '@'
	}
	return found
}

// takes reports whether a function has the name and the shape of one that takes SQL, and which parameter it is.
func takes(fn *types.Func) (at int, ok bool) {
	want, ok := takers[fn.Name()]
	sig := fn.Signature()
	at = firstString(sig)
	if !ok || at < 0 || !fits(sig, at, want) {
		return 0, false
	}
	if strings.HasPrefix(fn.Name(), "Get") || strings.HasPrefix(fn.Name(), "Select") {
		return at, at > 0 && isAny(sig.Params().At(at-1).Type()) // a place for the row
	}
	return at, true
}

func firstString(sig *types.Signature) int {
	for i := range sig.Params().Len() {
		if b, ok := sig.Params().At(i).Type().Underlying().(*types.Basic); ok && b.Kind() == types.String {
			return i
		}
	}
	return -1
}

// fits reports whether a signature has after its parameter at what a shape says.
func fits(sig *types.Signature, at int, want shape) bool {
	params, results := sig.Params(), sig.Results()
	switch want {
	case variadic:
		if at != params.Len()-2 {
			return false
		}
		values, list := params.At(at + 1).Type().Underlying().(*types.Slice) // args ...any, or args []any
		return list && isAny(values.Elem())
	case named:
		return !sig.Variadic() && at == params.Len()-2 && isAny(params.At(at+1).Type())
	default:
		return at == params.Len()-1 && results.Len() == 2 && isError(results.At(1).Type())
	}
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}
