package sqlcheck

import (
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// comparison is a column of a scope's table that a condition compares with something.
type comparison struct {
	ref    *ref
	column string
	how    compareHow
	tuple  bool // it is one of several in (a, b) = (?, ?)
	values []ast.ExprNode
}

type compareHow uint8

const (
	compareEqual    compareHow = iota // =
	compareNullSafe                   // <=>
	compareOneOf                      // IN
	compareRange                      // <, BETWEEN, LIKE 'prefix%', ...
	compareNull                       // IS NULL
)

// comparisons are those that a condition is made of. It has none if it is something else, or a negation:
// where a column may be anything but a value, nothing is known of it.
func (sc *scope) comparisons(e ast.ExprNode) []comparison {
	all, again := sc.compared[e]
	if !again {
		all = sc.compares(e)
		sc.compared[e] = all
	}
	return all
}

func (sc *scope) compares(e ast.ExprNode) []comparison {
	switch e := unwrap(e).(type) {
	case *ast.BinaryOperationExpr:
		return sc.binary(e)
	case *ast.PatternInExpr:
		if !e.Not {
			return sc.oneOf(e)
		}
	case *ast.BetweenExpr:
		if !e.Not {
			return sc.compare(e.Expr, compareRange, e.Left, e.Right)
		}
	case *ast.PatternLikeOrIlikeExpr:
		if !e.Not && hasPrefix(e.Pattern) {
			return sc.compare(e.Expr, compareRange, e.Pattern)
		}
	case *ast.IsNullExpr:
		if !e.Not {
			return sc.compare(e.Expr, compareNull)
		}
	}
	return nil
}

func (sc *scope) compare(e ast.ExprNode, how compareHow, values ...ast.ExprNode) []comparison {
	r, column := sc.column(e)
	if r == nil {
		return nil
	}
	return []comparison{{ref: r, column: column, how: how, values: values}}
}

func (sc *scope) binary(e *ast.BinaryOperationExpr) []comparison {
	var how compareHow
	switch e.Op {
	case opcode.EQ:
		how = compareEqual
	case opcode.NullEQ:
		how = compareNullSafe
	case opcode.LT, opcode.LE, opcode.GT, opcode.GE:
		how = compareRange
	default:
		return nil
	}
	left, right := values(e.L), values(e.R)
	if len(left) != len(right) || len(left) > 1 && how == compareRange {
		return nil // rows are compared by their first difference: that bounds no column
	}
	var all []comparison
	for i := range left {
		all = append(all, sc.compare(left[i], how, right[i])...)
		all = append(all, sc.compare(right[i], how, left[i])...)
	}
	return inTuple(all, len(left) > 1)
}

func (sc *scope) oneOf(e *ast.PatternInExpr) []comparison {
	columns := values(e.Expr)
	if e.Sel != nil {
		var all []comparison
		for _, c := range columns {
			all = append(all, sc.compare(c, compareOneOf, e.Sel)...)
		}
		return inTuple(all, len(columns) > 1)
	}
	lists := make([][]ast.ExprNode, len(columns))
	for _, item := range e.List {
		row := values(item)
		if len(row) != len(columns) {
			return nil
		}
		for i := range row {
			lists[i] = append(lists[i], row[i])
		}
	}
	var all []comparison
	for i, c := range columns {
		all = append(all, sc.compare(c, compareOneOf, lists[i]...)...)
	}
	return inTuple(all, len(columns) > 1)
}

func inTuple(all []comparison, tuple bool) []comparison {
	for i := range all {
		all[i].tuple = tuple
	}
	return all
}

// values are those of a row, or the one expression itself.
func values(e ast.ExprNode) []ast.ExprNode {
	e = unwrap(e)
	if row, ok := e.(*ast.RowExpr); ok {
		return row.Values
	}
	return []ast.ExprNode{e}
}

// hasPrefix reports whether a LIKE pattern says how the text begins. Of a parameter that is not known, and
// the benefit of the doubt is the caller's.
func hasPrefix(pattern ast.ExprNode) bool {
	text, ok := literalValue(pattern).(string)
	return !ok || text != "" && !strings.ContainsAny(text[:1], "%_")
}

// literalValue returns the value of a literal: a string, an int64, a uint64, nil for NULL and so on, and a
// notLiteral for every other expression.
func literalValue(e ast.ExprNode) any {
	e = unwrap(e)
	if _, ok := e.(ast.ParamMarkerExpr); ok {
		return notLiteral{}
	}
	if v, ok := e.(ast.ValueExpr); ok {
		return v.GetValue()
	}
	if u, ok := e.(*ast.UnaryOperationExpr); ok && u.Op == opcode.Minus {
		switch v := literalValue(u.V).(type) {
		case int64:
			return -v
		case notLiteral:
		default:
			return v
		}
	}
	return notLiteral{}
}

type notLiteral struct{}

// isNumber reports whether an expression is a literal that is written as a number.
func isNumber(e ast.ExprNode) bool {
	switch literalValue(e).(type) {
	case int64, uint64, float32, float64, *ast.MyDecimal:
		return true
	}
	return false
}

// isParam reports whether an expression is ?, or sqlc.arg.
func isParam(e ast.ExprNode) bool {
	e = unwrap(e)
	_, mark := e.(ast.ParamMarkerExpr)
	return mark || isMacro(e, "arg")
}

// isMacro reports whether an expression is one of sqlc's macros of these names.
func isMacro(e ast.ExprNode, names ...string) bool {
	call, ok := unwrap(e).(*ast.FuncCallExpr)
	if !ok || call.Schema.L != "sqlc" {
		return false
	}
	for _, name := range names {
		if call.FnName.L == name {
			return true
		}
	}
	return false
}

// hasParam reports whether sqlc makes a parameter of anything in a node.
func hasParam(n ast.Node) bool {
	found := false
	inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.ExprNode); ok && (isParam(e) || isMacro(e, "narg", "slice")) {
			found = true
		}
		return !found
	})
	return found
}
