package sqlcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// untypedFunctions take a parameter of no type in sqlc. Functions that are meant to take values of any type,
// such as JSON_SET, are not among them.
var untypedFunctions = []string{
	"if", "ifnull", "nullif", "greatest", "least", "concat", "concat_ws", "last_insert_id",
	"sum", "min", "max", "avg",
}

// checkUntyped is CAS019.
func checkUntyped(_ Input, s *Statement, report Report) {
	if s.Query == nil || s.Node == nil {
		return
	}
	params := usedParams(s)
	typed := map[string]bool{"": false}
	for _, p := range params {
		typed[p.Name] = typed[p.Name] || p.Name != "" && !p.untyped()
	}
	for _, p := range params {
		if !p.untyped() || typed[p.Name] {
			continue
		}
		if lost, _ := p.lost(namedTables{}); lost != nil {
			continue
		}
		report(s.Source, p.Span, fmt.Sprintf("%s has nothing beside it that gives it a type: sqlc makes it an interface{}, "+
			"and Go lets any value through", p), mendUntyped(p))
	}
}

// mendUntyped knows that CAST AS CHAR, unlike the others, gives no type either.
func mendUntyped(p usedParam) string {
	typer, _ := p.typer()
	if f, ok := typer.(*ast.FuncCallExpr); ok && strings.HasPrefix(f.FnName.L, "concat") {
		return "make the string in Go and pass the whole of it as one parameter, beside a column"
	}
	return fmt.Sprintf("write CAST(%s AS SIGNED), or AS DECIMAL(20, 4), AS DATETIME(6) or whatever number or time it is", p)
}

// String is the parameter as it is written, near enough to be known again.
func (p Param) String() string {
	switch p.Kind {
	case ParamArg:
		return "sqlc.arg(" + p.Name + ")"
	case ParamNarg:
		return "sqlc.narg(" + p.Name + ")"
	case ParamSlice:
		return "sqlc.slice('" + p.Name + "')"
	}
	return "?"
}

// untyped reports whether sqlc finds no type for a parameter.
func (p usedParam) untyped() bool {
	if p.elsewhere() {
		return false
	}
	typer, direct := p.typer()
	switch n := typer.(type) {
	case nil:
		return true
	case *ast.BinaryOperationExpr, *ast.PatternLikeOrIlikeExpr:
		return typeColumn(n) == nil
	case *ast.AggregateFuncExpr:
		return true
	case *ast.FuncCallExpr:
		interval := len(n.Args) == 3 && (n.FnName.L == "date_add" || n.FnName.L == "date_sub") && p.isIn(n.Args[1])
		return !direct || interval || slices.Contains(untypedFunctions, n.FnName.L)
	}
	return false
}

// isIn reports whether a node is the parameter itself or something that it is in.
func (p usedParam) isIn(n ast.Node) bool {
	return p.node == n || slices.Contains(p.within, n)
}

// checkNullable is CAS024.
func checkNullable(in Input, s *Statement, report Report) {
	if s.Query == nil || s.Node == nil {
		return
	}
	tables := tablesOf(in.Catalog, s.Node)
	for _, p := range usedParams(s) {
		if p.Kind == ParamNarg || !p.filters() {
			continue
		}
		name := p.guarded()
		if name == nil {
			continue
		}
		if c := tables.column(name); c != nil && !c.NotNull {
			report(s.Source, p.Span, fmt.Sprintf("%s is compared with %s, which may be NULL: sqlc makes it a sql.Null type, "+
				"and its zero value compares with NULL and matches no row", p, c.Name),
				fmt.Sprintf("declare %s NOT NULL, write CAST(%s AS SIGNED) or AS what the column is, or sqlc.narg if NULL is meant", c.Name, p))
		}
	}
}

// guarded returns the column that a parameter is compared with and takes its type from. With <=>, NULL is
// meant.
func (p usedParam) guarded() *ast.ColumnName {
	typer, direct := p.typer()
	switch n := typer.(type) {
	case *ast.BinaryOperationExpr:
		if n.Op == opcode.NullEQ {
			return nil
		}
		return typeColumn(n)
	case *ast.PatternLikeOrIlikeExpr:
		return typeColumn(n)
	case *ast.BetweenExpr:
		return bareColumn(n.Expr)
	case *ast.PatternInExpr:
		if direct {
			return bareColumn(n.Expr)
		}
	}
	return nil
}

// filters reports whether a parameter decides which rows a statement finds, and not what it writes or
// selects.
func (p usedParam) filters() bool {
	for _, n := range slices.Backward(p.within) {
		switch n.(type) {
		case *ast.Assignment, *ast.SelectField, *ast.ByItem:
			return false
		case *ast.SelectStmt, *ast.UpdateStmt, *ast.DeleteStmt:
			return true
		}
	}
	return false
}
