package sqlcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

var comparing = []opcode.Op{opcode.EQ, opcode.NullEQ, opcode.NE, opcode.LT, opcode.LE, opcode.GT, opcode.GE}

func checkTuple(in Input, s *Statement, report Report) {
	at := placesOf(s)
	if s.Node == nil {
		return
	}
	w := writeOf(in.Catalog, s)
	inspect(s.Node, func(n ast.Node) bool {
		rows := comparedRows(n)
		if len(rows) == 0 {
			return true
		}
		e := n.(ast.ExprNode)
		switch column := versionIn(w, e); {
		case s.Query != nil && slices.ContainsFunc(rows, hasParam):
			report(s.Source, at.expr(e),
				fmt.Sprintf("sqlc loses the parameters of this comparison of rows: %s is generated without them", s.Query.Name),
				"compare column by column: a = ? AND b = ?")
		case column != "":
			report(s.Source, at.expr(e),
				fmt.Sprintf("%s is compared as a part of a row: the count says how many rows matched and not which", column),
				fmt.Sprintf("compare column by column (AND %s = ?), one statement for each row", column))
		}
		return true
	})
}

// comparedRows are the rows, such as (a, b), that a node compares; none if it compares none. sqlc does not
// look into them, but it does into a subquery that a row is compared with.
func comparedRows(n ast.Node) []ast.Node {
	var sides []ast.ExprNode
	switch n := n.(type) {
	case *ast.BinaryOperationExpr:
		if slices.Contains(comparing, n.Op) {
			sides = []ast.ExprNode{n.L, n.R}
		}
	case *ast.PatternInExpr:
		sides = append([]ast.ExprNode{n.Expr}, n.List...)
	case *ast.CompareSubqueryExpr:
		sides = []ast.ExprNode{n.L}
	}
	var rows []ast.Node
	for _, side := range sides {
		if row, ok := unwrap(side).(*ast.RowExpr); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// versionIn returns the version column of a written table that an expression has in it, empty if there
// is none.
func versionIn(w *write, e ast.ExprNode) string {
	if w == nil {
		return ""
	}
	for _, r := range w.versioned() {
		column := r.table.Version.Name
		if w.mentions(e, func(of *ref, name string) bool { return of == r && strings.EqualFold(name, column) }) {
			return column
		}
	}
	return ""
}
