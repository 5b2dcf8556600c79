package sqlcheck

import (
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// checkOtherRows looks for a step of a trigger that writes rows of a versioned table. One that compares their version is a
// compare-and-swap, though nobody learns whether it landed.
func checkOtherRows(c *Catalog, g *Trigger, s step, report Report) {
	for _, w := range blindWrites(c, s) {
		report(g.Source, g.at(s.span()),
			"trigger "+g.Name+" "+w.does+" rows of "+w.table.Name+" without comparing their version",
			"write the rows of "+w.table.Name+" from the program under their versions, in the same transaction")
	}
}

type blindWrite struct {
	does  string
	table *Table
}

func blindWrites(c *Catalog, s step) []blindWrite {
	switch n := s.statement().(type) {
	case *ast.UpdateStmt:
		return blind("updates", updated(c, n), n.Where)
	case *ast.DeleteStmt:
		return blind("deletes", deleted(c, n), n.Where)
	case *ast.InsertStmt:
		tables := tablesOf(c, n.Table).named
		switch {
		case n.IsReplace:
			return blind("replaces", tables, nil)
		case len(n.OnDuplicate) > 0:
			return blind("updates", tables, nil)
		}
	}
	return nil
}

// blind are those of the written tables that are versioned and whose version the condition does not compare.
func blind(does string, written []namedTable, where ast.ExprNode) []blindWrite {
	var found []blindWrite
	for _, w := range written {
		if w.table != nil && w.table.Version != nil && !comparesVersion(where, w) {
			found = append(found, blindWrite{does, w.table})
		}
	}
	return found
}

// updated are the tables that an UPDATE sets columns of.
func updated(c *Catalog, n *ast.UpdateStmt) []namedTable {
	var written []namedTable
	for _, named := range tablesOf(c, n.TableRefs).named {
		for _, a := range n.List {
			if a.Column.Table.L == named.alias || a.Column.Table.L == "" && named.table.Column(a.Column.Name.O) != nil {
				written = append(written, named)
				break
			}
		}
	}
	return written
}

// deleted are the tables that a DELETE deletes from: those before FROM or after it if it has both.
func deleted(c *Catalog, n *ast.DeleteStmt) []namedTable {
	all := tablesOf(c, n.TableRefs).named
	if !n.IsMultiTable || n.Tables == nil {
		return all
	}
	var written []namedTable
	for _, named := range all {
		for _, target := range n.Tables.Tables {
			if target.Name.L == named.alias {
				written = append(written, named)
				break
			}
		}
	}
	return written
}

// comparesVersion reports whether a condition has `version = value` for a table among what must all hold.
func comparesVersion(where ast.Node, t namedTable) bool {
	n, ok := bare(where).(*ast.BinaryOperationExpr)
	if !ok {
		return false
	}
	if n.Op == opcode.LogicAnd {
		return comparesVersion(n.L, t) || comparesVersion(n.R, t)
	}
	l, r := t.isVersion(n.L), t.isVersion(n.R)
	return n.Op == opcode.EQ && l != r
}

// isVersion reports whether an expression is the table's version column, and not that of OLD or NEW.
func (t namedTable) isVersion(e ast.Node) bool {
	c, ok := bare(e).(*ast.ColumnNameExpr)
	return ok && strings.EqualFold(c.Name.Name.O, t.table.Version.Name) && (c.Name.Table.L == "" || c.Name.Table.L == t.alias)
}
