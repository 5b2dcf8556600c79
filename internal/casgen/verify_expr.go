package casgen

import (
	"fmt"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// bare takes brackets off.
func bare(e ast.ExprNode) ast.ExprNode {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

func columnOf(e ast.ExprNode) string {
	if c, ok := bare(e).(*ast.ColumnNameExpr); ok {
		return c.Name.Name.O
	}
	return ""
}

// isParam reports whether an expression is ? or sqlc.arg(name).
func isParam(e ast.ExprNode) bool {
	if f, ok := e.(*ast.FuncCallExpr); ok {
		return f.Schema.L == "sqlc" && (f.FnName.L == "arg" || f.FnName.L == "narg")
	}
	_, ok := e.(ast.ParamMarkerExpr)
	return ok
}

func isNarg(e ast.ExprNode) bool {
	f, ok := e.(*ast.FuncCallExpr)
	return ok && f.FnName.L == "narg"
}

// nameOf returns the name that a parameter is given by sqlc.arg(name) or sqlc.arg('name').
func nameOf(param ast.ExprNode) string {
	f, ok := param.(*ast.FuncCallExpr)
	if !ok || len(f.Args) != 1 {
		return ""
	}
	if text, ok := f.Args[0].(ast.ValueExpr); ok {
		return text.GetString()
	}
	return columnOf(f.Args[0])
}

// sharedName says which two columns have one parameter: sqlc makes one field of it, in which the value of one of them
// is lost.
func (g *generator) sharedName(slots []slot) string {
	of := map[string]string{}
	for _, s := range slots {
		if s.name == "" {
			continue
		}
		field := g.naming.Name(s.name)
		if other, ok := of[field]; ok {
			return fmt.Sprintf("%s and %s are one parameter %s", other, s.column, s.name)
		}
		of[field] = s.column
	}
	return ""
}

// assigned are the columns that an UPDATE sets to a parameter and nothing else.
func assigned(n ast.Node) []slot {
	update, ok := n.(*ast.UpdateStmt)
	if !ok {
		return nil
	}
	var slots []slot
	for _, a := range update.List {
		if value := bare(a.Expr); isParam(value) {
			slots = append(slots, slot{roleSet, a.Column.Name.O, nameOf(value)})
		}
	}
	return slots
}

// isPositive reports whether an expression is a whole number above 0.
func isPositive(e ast.ExprNode) bool {
	value, ok := bare(e).(ast.ValueExpr)
	if !ok || isParam(value) {
		return false
	}
	switch n := value.GetValue().(type) {
	case int64:
		return n > 0
	case uint64:
		return n > 0
	}
	return false
}

// movesByNumber reports whether an UPDATE moves a version by a number that is written there, wherever it stands.
func movesByNumber(n *ast.UpdateStmt, version string) bool {
	moves := false
	for _, a := range n.List {
		if !strings.EqualFold(a.Column.Name.O, version) {
			continue
		}
		plus, ok := bare(a.Expr).(*ast.BinaryOperationExpr)
		if !ok || plus.Op != opcode.Plus {
			return false
		}
		l, r := plus.L, plus.R
		if isPositive(l) {
			l, r = r, l
		}
		if moves = strings.EqualFold(columnOf(l), version) && isPositive(r); !moves {
			return false
		}
	}
	return moves
}
