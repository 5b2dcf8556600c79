package sqlcheck

import (
	"fmt"
	"slices"

	"github.com/sqlc-dev/marino/ast"
)

// checkLost is CAS030.
func checkLost(in Input, s *Statement, report Report) {
	if s.Query == nil || s.Node == nil {
		return
	}
	tables := tablesOf(in.Catalog, s.Node)
	seen := map[ast.Node]bool{}
	for _, p := range usedParams(s) {
		node, why := p.lost(tables)
		if node == nil || seen[node] {
			continue
		}
		seen[node] = true
		report(s.Source, p.Span, fmt.Sprintf("%s does not reach the server as it is written: %s", p, why), mendLost(node))
	}
}

// elsewhere reports whether a parameter is in what has a rule of its own: a tuple (CAS005) or a value given
// to a @variable (CAS010).
func (p usedParam) elsewhere() bool {
	return slices.ContainsFunc(p.within, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.RowExpr, *ast.VariableExpr:
			return true
		}
		return false
	})
}

// lost returns what makes sqlc lose a parameter, or pass it more than once, and why; nil where nothing does.
func (p usedParam) lost(tables namedTables) (ast.Node, string) {
	if p.elsewhere() {
		return nil, ""
	}
	if p.Kind != ParamMark && !p.lower {
		return p.node, "sqlc knows its own name in lower case only, and sends this as a function of the server"
	}
	for i, n := range slices.Backward(p.within) {
		if in, ok := n.(*ast.PatternInExpr); ok && p.Kind != ParamMark && unwrap(in.Expr) == p.node {
			return n, "sqlc does not see its macros on the left of IN, and sends this as a function of the server"
		}
		if what := p.hidden(i); what != "" {
			return n, fmt.Sprintf("sqlc does not look into %s, so that the method takes no argument for it", what)
		}
	}
	typer, _ := p.typer()
	switch n := typer.(type) {
	case *ast.BetweenExpr:
		return p.lostBetween(n, tables)
	case *ast.PatternInExpr:
		if bareColumn(n.Expr) == nil && (unwrap(n.Expr) != p.node || bareColumn(n.List[0]) == nil) {
			return n, "sqlc knows IN with a column on its left only, and the method takes no argument for it"
		}
	}
	return nil, ""
}

func (p usedParam) lostBetween(n *ast.BetweenExpr, tables namedTables) (ast.Node, string) {
	column := bareColumn(n.Expr)
	if column == nil {
		return n, "sqlc knows BETWEEN with a column on its left only, and the method takes no argument for it"
	}
	count, known := tables.having(column.Name.L)
	switch {
	case !known || count == 1:
		return nil, ""
	case count == 0:
		return n, fmt.Sprintf("no table has the column %s of this BETWEEN, and the method takes no argument for it", column.Name.O)
	}
	return n, fmt.Sprintf("%d tables of the statement have a column %s, and sqlc passes each argument of the BETWEEN once for each",
		count, column.Name.O)
}

// hidden returns how to call what a parameter is in at a place, if sqlc does not look into that; else "".
func (p usedParam) hidden(i int) string {
	switch n := p.within[i].(type) {
	case *ast.GroupByClause:
		return "an expression of GROUP BY"
	case *ast.OrderByClause:
		switch p.within[i-1].(type) {
		case *ast.UpdateStmt, *ast.DeleteStmt:
			return "ORDER BY of UPDATE and DELETE"
		case *ast.SetOprStmt, *ast.SetOprSelectList:
			return "ORDER BY of UNION"
		case *ast.AggregateFuncExpr:
			return "ORDER BY of GROUP_CONCAT"
		}
	case *ast.OnCondition:
		if p.joinsUpdate(i) {
			return "ON of a multi-table UPDATE"
		}
	default:
		return unseen(n)
	}
	return ""
}

// joinsUpdate reports whether an ON condition joins the tables that an UPDATE writes.
func (p usedParam) joinsUpdate(i int) bool {
	for _, n := range slices.Backward(p.within[:i]) {
		switch n.(type) {
		case *ast.Join, *ast.TableRefsClause, *ast.TableSource:
			continue
		case *ast.UpdateStmt:
			return true
		}
		return false
	}
	return false
}

func mendLost(n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncCallExpr:
		return "write it in lower case, sqlc.arg(name)"
	case *ast.BetweenExpr:
		return "write two comparisons, x >= sqlc.arg(lowest) AND x <= sqlc.arg(highest)"
	case *ast.PatternInExpr:
		return "put a column on the left of IN, or write comparisons with = and OR"
	case *ast.UnaryOperationExpr:
		if unseen(n) == "-" || unseen(n) == "~" {
			return "compute it in Go and pass the result"
		}
		return "write the opposite comparison (>= for NOT <, <> for NOT =, NOT IN, NOT LIKE, NOT BETWEEN)"
	case *ast.PatternRegexpExpr:
		return "write REGEXP_LIKE(x, sqlc.arg(pattern)) on MySQL, or LIKE"
	case *ast.OnCondition:
		return "move the comparison to WHERE"
	case *ast.IsTruthExpr:
		return "leave IS TRUE away, or write COALESCE(x, 0) = 1"
	case *ast.CompareSubqueryExpr:
		return "write IN (SELECT ...), or compare with a subquery of MIN or MAX"
	case *ast.SetCollationExpr:
		return "put COLLATE on the column's side"
	}
	return "compute it in Go, or select it as a column of a subquery and use that"
}
