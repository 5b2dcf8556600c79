package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// write is one UPDATE or DELETE.
type write struct {
	*scope
	update  bool
	sets    []set
	targets []*ref // the tables whose rows it changes, one entry each
	order   *ast.OrderByClause
	limit   *ast.Limit
}

// set is one assignment of an UPDATE.
type set struct {
	ref    *ref // nil if it cannot be told
	column string
	node   *ast.Assignment
}

// verb names the statement in messages.
func (w *write) verb() string {
	if w.update {
		return "UPDATE"
	}
	return "DELETE"
}

// writeOf reads an UPDATE or a DELETE, and returns nil for every other statement.
func writeOf(c *Catalog, s *Statement) *write {
	switch n := s.Node.(type) {
	case *ast.UpdateStmt:
		sc := newScope(c, withQueries{}.and(n.With), n.TableRefs, n.Where)
		w := &write{scope: sc, update: true, order: n.Order, limit: n.Limit}
		for _, a := range n.List {
			w.assign(a)
		}
		return w
	case *ast.DeleteStmt:
		sc := newScope(c, withQueries{}.and(n.With), n.TableRefs, n.Where)
		w := &write{scope: sc, order: n.Order, limit: n.Limit}
		if n.Tables == nil {
			w.targets = w.refs
			return w
		}
		for _, t := range n.Tables.Tables {
			w.target(w.byName(t.Schema.O, t.Name.O))
		}
		return w
	}
	return nil
}

// assign adds an assignment. One whose column no table has, since the schema is not up to date or the column is
// misspelt, still writes: the one table that can be written, or else it may be any of those with a version.
func (w *write) assign(a *ast.Assignment) {
	r := w.resolve(a.Column)
	may := slices.DeleteFunc(slices.Clone(w.refs), func(r *ref) bool { return r.query != nil })
	switch {
	case r != nil && r.query == nil:
		may = []*ref{r}
	case len(may) > 1:
		r = nil
		may = slices.DeleteFunc(may, func(r *ref) bool {
			return r.unclear == nil && (r.table == nil || r.table.Version == nil)
		})
	case len(may) == 1:
		r = may[0]
	}
	for _, m := range may {
		w.target(m)
	}
	w.sets = append(w.sets, set{r, a.Column.Name.O, a})
}

func (w *write) target(r *ref) {
	if r != nil && !slices.Contains(w.targets, r) {
		w.targets = append(w.targets, r)
	}
}

// versioned are the targets that have a version.
func (w *write) versioned() []*ref {
	var of []*ref
	for _, r := range w.targets {
		if r.table != nil && r.table.Version != nil {
			of = append(of, r)
		}
	}
	return of
}

// setsOf are the assignments to a column.
func (w *write) setsOf(r *ref, column string) []set {
	var of []set
	for _, a := range w.sets {
		if a.ref == r && strings.EqualFold(a.column, column) {
			of = append(of, a)
		}
	}
	return of
}

// checksVersion reports whether every row that is changed has the version that the statement asks for: a
// condition compares it with a value by =. A list of (key, version) pairs by IN does the same for each.
func (w *write) checksVersion(r *ref) bool {
	for _, c := range w.conds {
		if slices.Contains(c.of, r) && w.comparesVersion(c.expr, r) {
			return true
		}
	}
	return false
}

func (w *write) comparesVersion(e ast.ExprNode, r *ref) bool {
	for _, c := range w.comparisons(e) {
		if c.ref != r || !strings.EqualFold(c.column, r.table.Version.Name) {
			continue
		}
		if c.how == compareEqual || c.how == compareOneOf && c.tuple {
			return !slices.ContainsFunc(c.values, func(v ast.ExprNode) bool { return w.readsVersion(v, r.table) })
		}
	}
	return false
}

// versionMention returns the first condition that has the version in it, nil if none has.
func (w *write) versionMention(r *ref) ast.ExprNode {
	for _, c := range w.conds {
		if w.mentions(c.expr, func(of *ref, column string) bool {
			return of == r && strings.EqualFold(column, r.table.Version.Name)
		}) {
			return c.expr
		}
	}
	return nil
}

// keyEquals reports whether a condition is nothing but equalities of a table's key or version columns.
func (w *write) keyEquals(e ast.ExprNode, r *ref) bool {
	all := w.comparisons(e)
	for _, c := range all {
		isVersion := r.table.Version != nil && strings.EqualFold(c.column, r.table.Version.Name)
		if c.ref != r || c.how != compareEqual || !isVersion && !r.table.IsKey(c.column) {
			return false
		}
	}
	return len(all) > 0
}

// openKey are the columns of the primary key that no condition compares by =.
func (w *write) openKey(r *ref) []string {
	return slices.DeleteFunc(slices.Clone(r.table.Primary), func(key string) bool {
		return slices.ContainsFunc(w.conds, func(c cond) bool {
			return slices.Contains(c.of, r) && slices.ContainsFunc(w.comparisons(c.expr), func(c comparison) bool {
				return c.ref == r && c.how == compareEqual && strings.EqualFold(c.column, key)
			})
		})
	})
}
