package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// noRef is true of no table.
func noRef(*ref) bool { return false }

// uniqueKeys are the primary key and the unique indexes whose columns cannot be NULL: the keys that pick one
// row at most.
func (t *Table) uniqueKeys() [][]string {
	var keys [][]string
	if len(t.Primary) > 0 {
		keys = append(keys, t.Primary)
	}
	for _, i := range t.Indexes {
		nullable := func(column string) bool {
			c := t.Column(column)
			return c == nil || !c.NotNull && !t.IsKey(column)
		}
		if i.Unique && len(i.Columns) > 0 && !slices.ContainsFunc(i.Columns, nullable) {
			keys = append(keys, i.Columns)
		}
	}
	return keys
}

// leads reports whether a column is the first of the primary key or of an index.
func (t *Table) leads(column string) bool {
	if len(t.Primary) > 0 && strings.EqualFold(t.Primary[0], column) {
		return true
	}
	return slices.ContainsFunc(t.Indexes, func(i Index) bool {
		return len(i.Columns) > 0 && strings.EqualFold(i.Columns[0], column)
	})
}

// scanned are those of the tables of which InnoDB reads, and so locks, every row: no condition has an index
// to go by. A join's condition has one once the table on its other side has been found; of tables that
// are found by each other alone, the first one is scanned.
func (sc *scope) scanned(tables []*ref) []*ref {
	var scanned []*ref
	found := map[*ref]bool{}
	var open []*ref
	for _, r := range sc.refs {
		if r.table == nil || r.table.base != nil || !slices.Contains(tables, r) { // a view has conditions of its own
			found[r] = true
			continue
		}
		open = append(open, r)
	}
	isFound := func(r *ref) bool { return found[r] }
	for len(open) > 0 {
		next := slices.IndexFunc(open, func(r *ref) bool { return sc.hasIndex(r, isFound) })
		if next < 0 {
			next = 0
			scanned = append(scanned, open[0])
		}
		found[open[next]] = true
		open = slices.Delete(open, next, next+1)
	}
	return scanned
}

// hasIndex reports whether a condition finds the rows of a table by an index, given the tables that have
// been found.
func (sc *scope) hasIndex(r *ref, found func(*ref) bool) bool {
	return slices.ContainsFunc(sc.conds, func(c cond) bool {
		return slices.Contains(c.of, r) && sc.usesIndex(c.expr, r, found)
	})
}

func (sc *scope) usesIndex(e ast.ExprNode, r *ref, found func(*ref) bool) bool {
	if b, ok := unwrap(e).(*ast.BinaryOperationExpr); ok {
		switch b.Op {
		case opcode.LogicOr:
			return sc.usesIndex(b.L, r, found) && sc.usesIndex(b.R, r, found)
		case opcode.LogicAnd:
			return sc.usesIndex(b.L, r, found) || sc.usesIndex(b.R, r, found)
		}
	}
	all := sc.comparisons(e)
	if len(all) == 0 && r.table.leads("") {
		// An index is on an expression. Whether it is this one is not known: the doubt is the index's.
		return sc.mentions(e, func(of *ref, _ string) bool { return of == r })
	}
	return slices.ContainsFunc(all, func(c comparison) bool {
		return c.ref == r && r.table.leads(c.column) && sc.knownBefore(c.values, found) &&
			!castsColumn(r.table.Column(c.column), c.values)
	})
}

// knownBefore reports whether values can be worked out from the tables that have been found.
func (sc *scope) knownBefore(values []ast.ExprNode, found func(*ref) bool) bool {
	return !slices.ContainsFunc(values, func(v ast.ExprNode) bool {
		return sc.mentions(v, func(r *ref, _ string) bool { return !found(r) })
	})
}

// castsColumn reports whether a text column is compared with a number: the server then turns every row's
// text into a number, and no index helps.
func castsColumn(c *Column, values []ast.ExprNode) bool {
	if c == nil || !strings.HasSuffix(c.Type, "char") && !strings.HasSuffix(c.Type, "text") {
		return false
	}
	return slices.ContainsFunc(values, isNumber)
}

// fixed reports whether conditions let a column have one value only, given the tables of which one row is
// left.
func (sc *scope) fixed(r *ref, column string, single func(*ref) bool) bool {
	return slices.ContainsFunc(sc.conds, func(c cond) bool {
		return slices.Contains(c.of, r) && slices.ContainsFunc(sc.comparisons(c.expr), func(c comparison) bool {
			return c.ref == r && strings.EqualFold(c.column, column) && c.isOneValue() && sc.knownBefore(c.values, single)
		})
	})
}

func (c comparison) isOneValue() bool {
	switch c.how {
	case compareEqual, compareNullSafe:
		return true
	case compareOneOf:
		if len(c.values) != 1 || isMacro(c.values[0], "slice") {
			return false
		}
		sub, ok := c.values[0].(*ast.SubqueryExpr)
		return !ok || !sub.MultiRows
	}
	return false
}

// several are those of the tables of which more than one row can be left.
func (sc *scope) several(tables []*ref) []*ref {
	single := map[*ref]bool{}
	isSingle := func(r *ref) bool { return single[r] }
	for changed := true; changed; {
		changed = false
		for _, r := range sc.refs {
			if r.table == nil || single[r] {
				continue
			}
			single[r] = slices.ContainsFunc(r.table.uniqueKeys(), func(key []string) bool {
				return !slices.ContainsFunc(key, func(column string) bool { return !sc.fixed(r, column, isSingle) })
			})
			changed = changed || single[r]
		}
	}
	return slices.DeleteFunc(slices.Clone(tables), func(r *ref) bool { return r.table == nil || single[r] })
}
