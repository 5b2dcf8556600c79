package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// lockingRead is one SELECT with FOR UPDATE, FOR SHARE or LOCK IN SHARE MODE, wherever in a statement it is.
type lockingRead struct {
	*scope
	node   *ast.SelectStmt
	locked []*ref
	skips  bool // SKIP LOCKED
	names  bool // OF, in each of its clauses
}

// lockingReads are those of a statement, nested ones included: a lock clause does not reach into
// subqueries, so that each has its own.
func lockingReads(c *Catalog, s *Statement) []*lockingRead {
	var all []*lockingRead
	if s.Node != nil {
		s.Node.Accept(&lockFinder{catalog: c, with: withQueries{}, found: &all})
	}
	return all
}

// lockFinder visits the nodes of a statement. A CTE's own query sees the table that the CTE's name hides
// from the rest of the statement.
type lockFinder struct {
	catalog *Catalog
	with    withQueries
	hidden  []string
	found   *[]*lockingRead
}

func (f *lockFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.WithClause:
		f.with = f.with.and(n)
	case *ast.CommonTableExpression:
		f.hidden = append(f.hidden, n.Name.L)
	case *ast.SelectStmt:
		if n.With != nil {
			f.with = f.with.and(n.With)
		}
		f.add(n)
	}
	return n, false
}

func (f *lockFinder) Leave(n ast.Node) (ast.Node, bool) {
	if _, ok := n.(*ast.CommonTableExpression); ok {
		f.hidden = f.hidden[:len(f.hidden)-1]
	}
	return n, true
}

func (f *lockFinder) add(n *ast.SelectStmt) {
	infos := lockInfos(n)
	if len(infos) == 0 {
		return
	}
	with := withQueries{}
	for name, query := range f.with {
		if !slices.Contains(f.hidden, name) {
			with[name] = query
		}
	}
	r := &lockingRead{scope: newScope(f.catalog, with, n.From, n.Where), node: n, names: true}
	for _, info := range infos {
		switch info.LockType {
		case ast.SelectLockForUpdateSkipLocked, ast.SelectLockForShareSkipLocked:
			r.skips = true
		}
		if len(info.Tables) == 0 {
			r.locked, r.names = r.refs, false
			break
		}
		for _, t := range info.Tables {
			if of := r.byName(t.Schema.O, t.Name.O); of != nil {
				r.locked = append(r.locked, of)
			}
		}
	}
	*f.found = append(*f.found, r)
}

// lockInfos are the locking clauses of a SELECT.
func lockInfos(n *ast.SelectStmt) []*ast.SelectLockInfo {
	var infos []*ast.SelectLockInfo
	for _, info := range append([]*ast.SelectLockInfo{n.LockInfo}, n.MoreLockInfos...) {
		if info != nil && info.LockType != ast.SelectLockNone {
			infos = append(infos, info)
		}
	}
	return infos
}

// isOne reports whether a LIMIT is the literal 1.
func isOne(l *ast.Limit) bool {
	if l == nil || l.Count == nil {
		return false
	}
	n := literalValue(l.Count)
	return n == any(int64(1)) || n == any(uint64(1))
}

// isAggregate reports whether the read returns one row that it computes of all. ORDER BY orders nothing then.
func (r *lockingRead) isAggregate() bool {
	if r.node.GroupBy != nil || r.node.Fields == nil {
		return false
	}
	found := false
	inspect(r.node.Fields, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.AggregateFuncExpr:
			found = true
		case *ast.SubqueryExpr:
			return false
		}
		return !found
	})
	return found
}

// orderColumn returns the column that one item of ORDER BY names: itself, by the number of a selected value
// or by its alias.
func (r *lockingRead) orderColumn(item *ast.ByItem) (*ref, string) {
	fields := []*ast.SelectField(nil)
	if r.node.Fields != nil {
		fields = r.node.Fields.Fields
	}
	if p, ok := item.Expr.(*ast.PositionExpr); ok {
		if p.N >= 1 && p.N <= len(fields) && fields[p.N-1].Expr != nil {
			return r.column(fields[p.N-1].Expr)
		}
		return nil, ""
	}
	if c, ok := unwrap(item.Expr).(*ast.ColumnNameExpr); ok && c.Name.Table.O == "" {
		for _, f := range fields {
			if f.Expr != nil && strings.EqualFold(f.AsName.O, c.Name.Name.O) {
				return r.column(f.Expr)
			}
		}
	}
	return r.column(item.Expr)
}

// takesInOrder reports whether ORDER BY names a unique key of the table, all columns in the key's order and
// one direction, before anything else. A column that a condition has fixed to one value may be left out of
// the order or stand anywhere in it.
func (r *lockingRead) takesInOrder(of *ref) bool {
	if r.node.OrderBy == nil {
		return false
	}
	return slices.ContainsFunc(of.table.uniqueKeys(), func(key []string) bool { return r.orderedBy(of, key) })
}

func (r *lockingRead) orderedBy(of *ref, key []string) bool {
	left := slices.DeleteFunc(slices.Clone(key), func(column string) bool { return r.fixed(of, column, noRef) })
	desc := -1
	for _, item := range r.node.OrderBy.Items {
		if len(left) == 0 {
			break
		}
		by, column := r.orderColumn(item)
		if by == nil || r.fixed(by, column, noRef) {
			if by == nil {
				return false
			}
			continue
		}
		direction := 0
		if item.Desc {
			direction = 1
		}
		if by != of || !strings.EqualFold(column, left[0]) || desc >= 0 && desc != direction {
			return false
		}
		desc, left = direction, left[1:]
	}
	return len(left) == 0
}
