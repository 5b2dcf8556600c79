package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// usedParam is a parameter and where in the statement's tree it is.
type usedParam struct {
	Param
	node   ast.Node
	lower  bool       // of a macro: it begins with sqlc in lower case
	within []ast.Node // what it is in, from the statement down to what it is directly in
}

// usedParams returns the parameters of a parsed statement with their places in its tree.
func usedParams(s *Statement) []usedParam {
	w := paramWalk{starts: map[int]Param{}, lower: map[int]bool{}}
	for _, p := range s.Params() {
		at := p.Span.Start - s.Span.Start
		w.starts[at] = p
		w.lower[at] = strings.HasPrefix(s.Text[at:], "sqlc")
	}
	if len(w.starts) > 0 {
		s.Node.Accept(&w)
	}
	return w.found
}

type paramWalk struct {
	starts map[int]Param // by the offset in the statement
	lower  map[int]bool
	within []ast.Node
	found  []usedParam
}

func (w *paramWalk) Enter(n ast.Node) (ast.Node, bool) {
	at := -1
	switch n := n.(type) {
	case *ast.ParamMarkerExprBase:
		at = n.Offset
	case *ast.FuncCallExpr:
		if n.Schema.L == "sqlc" {
			at = n.OriginTextPosition()
		}
	}
	p, ok := w.starts[at]
	if ok {
		w.found = append(w.found, usedParam{p, n, w.lower[at], slices.Clone(w.within)})
	}
	w.within = append(w.within, n)
	return n, ok
}

func (w *paramWalk) Leave(n ast.Node) (ast.Node, bool) {
	w.within = w.within[:len(w.within)-1]
	return n, true
}

// typer returns what sqlc takes a parameter's type from: the nearest comparison, arithmetic, function, CAST,
// BETWEEN, IN, assignment, column of an INSERT, LIMIT or selected value around it. It is nil where there is
// none. Direct says that nothing but brackets is between the two.
func (p usedParam) typer() (node ast.Node, direct bool) {
	direct = true
	for i := len(p.within) - 1; i >= 0; i-- {
		switch n := p.within[i].(type) {
		case *ast.ParenthesesExpr:
			continue
		case *ast.BinaryOperationExpr:
			if n.Op != opcode.LogicAnd && n.Op != opcode.LogicOr {
				return n, direct
			}
		case *ast.FuncCallExpr:
			if n.FnName.L != "coalesce" {
				return n, direct
			}
		case *ast.PatternInExpr:
			if n.Sel == nil {
				return n, direct
			}
		case *ast.InsertStmt:
			if direct {
				return n, direct
			}
		case *ast.PatternLikeOrIlikeExpr, *ast.AggregateFuncExpr, *ast.FuncCastExpr, *ast.BetweenExpr,
			*ast.Assignment, *ast.Limit, *ast.SelectField, *ast.MatchAgainst:
			return n, direct
		}
		direct = false
	}
	return nil, false
}

// sides returns the two sides of a comparison, a LIKE or an arithmetic.
func sides(n ast.Node) (left, right ast.Node, ok bool) {
	switch n := n.(type) {
	case *ast.BinaryOperationExpr:
		return n.L, n.R, true
	case *ast.PatternLikeOrIlikeExpr:
		return n.Expr, n.Pattern, true
	}
	return nil, nil, false
}

// typeColumn returns the column that gives the parameters of a comparison, a LIKE or an arithmetic their
// type: the first one on the left, else the first one on the right, at any depth. Nil if there is none.
func typeColumn(n ast.Node) *ast.ColumnName {
	left, right, ok := sides(n)
	if !ok {
		return nil
	}
	if c := firstColumn(left); c != nil {
		return c
	}
	return firstColumn(right)
}

func firstColumn(n ast.Node) (first *ast.ColumnName) {
	inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ColumnNameExpr:
			if first == nil {
				first = n.Name
			}
		case *ast.FuncCallExpr:
			return n.Schema.L != "sqlc"
		}
		return first == nil && unseen(n) == ""
	})
	return first
}

// unseen returns how to call an expression that sqlc does not look into, so that what is in it is lost;
// empty for one that it does.
func unseen(n ast.Node) string {
	switch n := n.(type) {
	case *ast.UnaryOperationExpr:
		return strings.ToUpper(strings.TrimSpace(n.Op.String()))
	case *ast.PatternRegexpExpr:
		return "REGEXP"
	case *ast.IsTruthExpr:
		return "IS TRUE or IS FALSE"
	case *ast.CompareSubqueryExpr:
		return "ANY or ALL"
	case *ast.SetCollationExpr:
		return "COLLATE"
	case *ast.WindowFuncExpr, *ast.WindowSpec:
		return "a window"
	}
	return ""
}

// bare takes the brackets off any node, as unwrap does off an expression.
func bare(n ast.Node) ast.Node {
	if e, ok := n.(ast.ExprNode); ok {
		return unwrap(e)
	}
	return n
}

// bareColumn returns the column that an expression is, nil if it is anything else.
func bareColumn(n ast.Node) *ast.ColumnName {
	if c, ok := bare(n).(*ast.ColumnNameExpr); ok {
		return c.Name
	}
	return nil
}
