package sqlcheck

import (
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// readsVersion reports whether a value depends on the version that a table has while the statement runs:
// directly, by a column of the statement in a subquery, or by a subquery, a derived table or a CTE that reads
// the table. Compared with that, a version is compared with itself.
func (w *write) readsVersion(e ast.ExprNode, t *Table) bool {
	r := versionReader{outer: w.scope, table: t, visits: map[string]visit{}}
	r.visit(e)
	return r.found
}

// versionReader visits a value of a statement, and the queries that it gets values from.
type versionReader struct {
	outer *scope
	table *Table
	inner []*scope // of the subqueries around, innermost last
	found bool

	// visits are those of the queries with a name, each once: one that reads another twice, which reads a third
	// twice, and so on, would not come to an end.
	visits map[string]visit
}

type visit uint8

const (
	visitNone visit = iota
	visitOpen
	visitDone
)

func (v *versionReader) visit(n ast.Node) { n.Accept(v) }

// query visits a derived table or a CTE.
func (v *versionReader) query(name string, n ast.Node) {
	inner := v.inner
	v.inner, v.visits[name] = nil, visitOpen
	v.visit(n)
	v.inner, v.visits[name] = inner, visitDone
}

func (v *versionReader) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SelectStmt:
		v.inner = append(v.inner, newScope(v.outer.catalog, v.outer.with.and(n.With), n.From, nil))
	case *ast.FuncCallExpr:
		return n, n.Schema.L == "sqlc" // the name in sqlc.arg(version) is no column
	case *ast.TableName:
		v.source(n)
	case *ast.ColumnNameExpr:
		v.column(n.Name)
	}
	return n, v.found
}

func (v *versionReader) Leave(n ast.Node) (ast.Node, bool) {
	if _, ok := n.(*ast.SelectStmt); ok {
		v.inner = v.inner[:len(v.inner)-1]
	}
	return n, true
}

// source looks at a table that a query reads. What a CTE calls as itself is the table that its name hides.
func (v *versionReader) source(n *ast.TableName) {
	query, ok := v.outer.with[n.Name.L]
	switch visited := v.visits[n.Name.L]; {
	case !ok || n.Schema.L != "" || visited == visitOpen:
	case visited == visitNone:
		v.query(n.Name.L, query)
		return
	default:
		return
	}
	if strings.EqualFold(n.Name.O, v.table.Name) || strings.EqualFold(n.Name.O, v.table.root().Name) {
		v.found = true
	}
}

// column looks at a column that may be one of the statement's own: those of the subqueries around are none.
func (v *versionReader) column(name *ast.ColumnName) {
	for i := len(v.inner) - 1; i >= 0; i-- {
		if v.inner[i].resolve(name) != nil {
			return
		}
	}
	r := v.outer.resolve(name)
	switch {
	case r == nil:
	case r.query != nil:
		if key := "." + r.name; v.visits[key] == visitNone {
			v.query(key, r.query)
		}
	case r.table.root() == v.table.root() && r.table.Version != nil && strings.EqualFold(name.Name.O, r.table.Version.Name):
		v.found = true
	}
}
