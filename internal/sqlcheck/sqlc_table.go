package sqlcheck

import "github.com/sqlc-dev/marino/ast"

// namedTables are the tables that a statement names, everywhere in it and as often as it does. What WITH
// defines is none of them.
type namedTables struct {
	catalog *Catalog
	named   []namedTable
	with    map[string]bool // lower case
}

type namedTable struct {
	alias string // lower case; the table's name where it has no alias
	table *Table // nil if the catalogue does not know it
}

func tablesOf(c *Catalog, n ast.Node) namedTables {
	t := namedTables{catalog: c, with: map[string]bool{}}
	n.Accept(&t)
	kept := t.named[:0]
	for _, n := range t.named {
		if n.table != nil || !t.with[n.alias] {
			kept = append(kept, n)
		}
	}
	t.named = kept
	return t
}

func (t *namedTables) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.CommonTableExpression:
		t.with[n.Name.L] = true
	case *ast.TableSource:
		name, ok := n.Source.(*ast.TableName)
		if !ok || t.with[name.Name.L] {
			return n, false
		}
		alias := name.Name.L
		if n.AsName.L != "" {
			alias = n.AsName.L
		}
		t.named = append(t.named, namedTable{alias, t.catalog.named(name)})
	}
	return n, false
}

func (t *namedTables) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// column returns the column of the catalogue that a name means, nil if that is not known for sure.
func (t *namedTables) column(name *ast.ColumnName) *Column {
	var found *Column
	for _, n := range t.named {
		if name.Table.L != "" && n.alias != name.Table.L && (n.table == nil || n.table.Name != name.Table.O) {
			continue
		}
		switch c := n.table.Column(name.Name.L); {
		case n.table == nil:
			return nil
		case c != nil && found != nil && found != c:
			return nil
		case c != nil:
			found = c
		}
	}
	return found
}

// having returns how many of the tables that a statement names have a column of that name. It is not known
// where the catalogue lacks one of them.
func (t *namedTables) having(column string) (count int, known bool) {
	for _, n := range t.named {
		if n.table == nil {
			return 0, false
		}
		if n.table.Column(column) != nil {
			count++
		}
	}
	return count, len(t.named) > 0
}
