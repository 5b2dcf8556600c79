package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// scope is what one UPDATE, DELETE or SELECT reads from, and what it demands of the rows.
type scope struct {
	refs  []*ref
	conds []cond
	where ast.ExprNode // nil without WHERE

	catalog *Catalog
	with    withQueries

	compared map[ast.ExprNode][]comparison // what comparisons has found
}

// ref is one table in a scope. A table that is joined with itself is two of them.
type ref struct {
	name  string   // what its columns are qualified with: the alias if there is one
	table *Table   // nil if the catalogue does not know it, and for a derived table or a CTE
	query ast.Node // of a derived table or a CTE

	// unclear is a versioned table that a view is over, in a way that is not followed; nil for all else.
	unclear *Table
	node    *ast.TableName // nil for a derived table
}

// cond is one condition that every row has to meet: a term of WHERE or of a join's ON that nothing but AND
// and parentheses is above of. What is under OR or NOT is a part of its cond, never one itself.
type cond struct {
	expr ast.ExprNode
	of   []*ref // those whose rows it restricts: of an outer join, the ones on the optional side
}

// withQueries are the common table expressions that a statement can name, in lower case.
type withQueries map[string]ast.Node

func (w withQueries) and(with *ast.WithClause) withQueries {
	if with == nil {
		return w
	}
	all := withQueries{}
	for name, query := range w {
		all[name] = query
	}
	for _, cte := range with.CTEs {
		all[cte.Name.L] = cte.Query
	}
	return all
}

// scopeBuilder reads a FROM list.
type scopeBuilder struct {
	catalog *Catalog
	with    withQueries
	scope   *scope
}

func newScope(c *Catalog, with withQueries, from *ast.TableRefsClause, where ast.ExprNode) *scope {
	b := scopeBuilder{c, with, &scope{where: where, catalog: c, with: with, compared: map[ast.ExprNode][]comparison{}}}
	if from != nil && from.TableRefs != nil {
		b.add(from.TableRefs)
	}
	for _, e := range conjuncts(where) {
		b.scope.conds = append(b.scope.conds, cond{e, b.scope.refs})
	}
	return b.scope
}

// add reads one entry of the list and returns the tables that it brings.
func (b *scopeBuilder) add(n ast.ResultSetNode) []*ref {
	switch n := n.(type) {
	case *ast.Join:
		return b.addJoin(n)
	case *ast.TableSource:
		switch source := n.Source.(type) {
		case *ast.Join:
			return b.addJoin(source)
		case *ast.TableName:
			return b.addRef(b.named(source, n.AsName.O))
		default:
			return b.addRef(&ref{name: n.AsName.O, query: source})
		}
	case *ast.TableName:
		return b.addRef(b.named(n, ""))
	}
	return nil
}

func (b *scopeBuilder) addRef(r *ref) []*ref {
	b.scope.refs = append(b.scope.refs, r)
	return []*ref{r}
}

func (b *scopeBuilder) named(n *ast.TableName, alias string) *ref {
	r := &ref{name: n.Name.O, node: n}
	if alias != "" {
		r.name = alias
	}
	if query, ok := b.with[n.Name.L]; ok && n.Schema.L == "" {
		r.query = query
		return r
	}
	r.table = b.catalog.named(n)
	if v := b.catalog.viewIn(n.Schema.O, n.Name.O); r.table == nil && v != nil {
		r.table, r.unclear = v.table, v.versioned
	}
	return r
}

func (b *scopeBuilder) addJoin(j *ast.Join) []*ref {
	left := b.add(j.Left)
	var right []*ref
	if j.Right != nil {
		right = b.add(j.Right)
	}
	both := slices.Concat(left, right)
	of := both
	switch j.Tp {
	case ast.LeftJoin:
		of = right
	case ast.RightJoin:
		of = left
	}
	if j.On != nil {
		for _, e := range conjuncts(j.On.Expr) {
			b.scope.conds = append(b.scope.conds, cond{e, of})
		}
	}
	for _, column := range append(commonColumns(j, left, right), j.Using...) {
		b.scope.conds = append(b.scope.conds, cond{usingPair(column, left, right), of})
	}
	return both
}

// commonColumns are those by which NATURAL JOIN joins, as far as the tables are known; each once, since a column
// that several tables on one side have has been made one by the joins there.
func commonColumns(j *ast.Join, left, right []*ref) []*ast.ColumnName {
	var common []*ast.ColumnName
	if !j.NaturalJoin {
		return nil
	}
	seen := map[string]bool{}
	for _, l := range left {
		if l.table == nil {
			continue
		}
		for _, c := range l.table.Columns {
			name := ast.NewCIStr(c.Name)
			if !seen[name.L] && slices.ContainsFunc(right, func(r *ref) bool { return r.table.Column(c.Name) != nil }) {
				seen[name.L] = true
				common = append(common, &ast.ColumnName{Name: name})
			}
		}
	}
	return common
}

// usingPair makes of USING (column) the equality that it stands for.
func usingPair(column *ast.ColumnName, left, right []*ref) ast.ExprNode {
	side := func(refs []*ref) ast.ExprNode {
		name := *column
		for _, r := range refs {
			if r.table.Column(column.Name.O) != nil || len(refs) == 1 {
				name.Table = ast.NewCIStr(r.name)
				break
			}
		}
		return &ast.ColumnNameExpr{Name: &name}
	}
	return &ast.BinaryOperationExpr{Op: opcode.EQ, L: side(left), R: side(right)}
}

// byName returns the table that a qualifier means, nil if it is none of this scope.
func (sc *scope) byName(schema, name string) *ref {
	for _, r := range sc.refs {
		inIt := schema == "" || r.node == nil || r.node.Schema.O == "" || strings.EqualFold(r.node.Schema.O, schema)
		if inIt && strings.EqualFold(r.name, name) {
			return r
		}
	}
	return nil
}

// resolve returns the table that a column is one of. It is nil where that cannot be told: the column of an
// outer query, an ambiguous one.
func (sc *scope) resolve(name *ast.ColumnName) *ref {
	if name.Table.O != "" {
		return sc.byName(name.Schema.O, name.Table.O)
	}
	var known, unknown []*ref
	for _, r := range sc.refs {
		switch {
		case r.table.Column(name.Name.O) != nil:
			known = append(known, r)
		case r.table == nil:
			unknown = append(unknown, r)
		}
	}
	switch {
	case len(known) == 1:
		return known[0]
	case len(known) == 0 && len(unknown) == 1:
		return unknown[0]
	}
	return nil
}

// column returns the table and the name of an expression that is a column and no more.
func (sc *scope) column(e ast.ExprNode) (*ref, string) {
	if c, ok := unwrap(e).(*ast.ColumnNameExpr); ok {
		if r := sc.resolve(c.Name); r != nil {
			return r, c.Name.Name.O
		}
	}
	return nil, ""
}

// isColumn reports whether an expression is that column of that table and no more.
func (sc *scope) isColumn(e ast.ExprNode, r *ref, column string) bool {
	of, name := sc.column(e)
	return of != nil && of == r && strings.EqualFold(name, column)
}

// mentions reports whether an expression has a column that the test is true of. It does not look into
// subqueries, whose columns belong to another scope, nor into sqlc's macros: the name in sqlc.arg(version) is
// no column.
func (sc *scope) mentions(e ast.ExprNode, test func(r *ref, column string) bool) bool {
	found := false
	inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SubqueryExpr:
			return false
		case *ast.FuncCallExpr:
			return n.Schema.L != "sqlc"
		case *ast.ColumnNameExpr:
			if r := sc.resolve(n.Name); r != nil && test(r, n.Name.Name.O) {
				found = true
			}
		}
		return !found
	})
	return found
}

// unwrap takes the parentheses off an expression.
func unwrap(e ast.ExprNode) ast.ExprNode {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

// conjuncts are the terms that AND joins.
func conjuncts(e ast.ExprNode) []ast.ExprNode {
	e = unwrap(e)
	if e == nil {
		return nil
	}
	if b, ok := e.(*ast.BinaryOperationExpr); ok && b.Op == opcode.LogicAnd {
		return append(conjuncts(b.L), conjuncts(b.R)...)
	}
	return []ast.ExprNode{e}
}

// inspect shows a node, and all below it, to visit; where that returns false, what is below is left out.
func inspect(n ast.Node, visit func(ast.Node) bool) {
	if n != nil {
		n.Accept(inspector(visit))
	}
}

type inspector func(ast.Node) bool

func (i inspector) Enter(n ast.Node) (ast.Node, bool) { return n, !i(n) }

func (i inspector) Leave(n ast.Node) (ast.Node, bool) { return n, true }
