package sqlcheck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// alterTable runs the parts of an ALTER TABLE one after the other. A table that is not in the schema is left
// out: it may come from a statement that is not known, which is reported.
func (c *Catalog) alterTable(s *ddl, n *ast.AlterTableStmt) {
	t := c.named(n.Table)
	if t == nil {
		return
	}
	items := s.alterItems()
	for i, spec := range n.Specs {
		item := s.tokens
		if len(items) == len(n.Specs) {
			item = items[i]
		}
		if spec.Tp == ast.AlterTableRenameTable {
			c.rename(t, cmp.Or(spec.NewTable.Schema.O, t.Schema), spec.NewTable.Name.O)
			continue
		}
		t.alterColumns(c, s, spec, item)
		t.alterKeys(s, spec, item)
	}
}

// alterItems are what is between the commas after the table's name.
func (s *ddl) alterItems() [][]token {
	i := slices.IndexFunc(s.tokens, func(t token) bool { return s.isKeyword(t, "TABLE") }) + 2
	if i+1 < len(s.tokens) && s.tokens[i].is(".") {
		i += 2
	}
	return splitItems(s.tokens[min(i, len(s.tokens)):])
}

func (t *Table) alterColumns(c *Catalog, s *ddl, spec *ast.AlterTableSpec, item []token) {
	switch spec.Tp {
	case ast.AlterTableAddColumns:
		for _, def := range spec.NewColumns {
			if t.Column(def.Name.Name.O) == nil { // IF NOT EXISTS
				t.put(s, def, item, len(t.Columns), spec.Position)
			}
		}
		for _, n := range spec.NewConstraints {
			t.add(s, n, item)
		}
	case ast.AlterTableDropColumn:
		t.dropColumn(spec.OldColumnName.Name.O)
	case ast.AlterTableModifyColumn:
		t.replace(s, spec.NewColumns[0].Name.Name.O, spec, item)
	case ast.AlterTableChangeColumn:
		old, now := spec.OldColumnName.Name.O, spec.NewColumns[0].Name.Name.O
		if t.replace(s, old, spec, item) {
			c.renameColumn(t, old, now)
		}
	case ast.AlterTableRenameColumn:
		old, now := spec.OldColumnName.Name.O, spec.NewColumnName.Name.O
		if column := t.Column(old); column != nil {
			column.Name = now
			c.renameColumn(t, old, now)
		}
	case ast.AlterTableAlterColumn:
		if column := t.Column(spec.NewColumns[0].Name.Name.O); column != nil {
			column.Default = s.defaultOf(item)
			if len(spec.NewColumns[0].Options) == 0 { // DROP DEFAULT
				column.Default = ""
			}
		}
	case ast.AlterTableAlterColumnVisibility:
		if column := t.Column(spec.NewColumns[0].Name.Name.O); column != nil {
			column.Invisible = spec.Visibility == ast.IndexVisibilityInvisible
		}
	}
}

func (t *Table) alterKeys(s *ddl, spec *ast.AlterTableSpec, item []token) {
	switch spec.Tp {
	case ast.AlterTableOption:
		t.options(s, spec.Options, item)
	case ast.AlterTableAddConstraint:
		t.add(s, spec.Constraint, item)
	case ast.AlterTableDropPrimaryKey:
		t.Primary = nil
	case ast.AlterTableDropIndex:
		t.dropIndex(spec.Name)
	case ast.AlterTableDropForeignKey:
		t.dropForeignKey(spec.Name)
	case ast.AlterTableDropCheck: // DROP CONSTRAINT is read as it, whatever the constraint is
		t.dropForeignKey(spec.Constraint.Name)
		t.dropIndex(spec.Constraint.Name)
	case ast.AlterTableRenameIndex:
		for i := range t.Indexes {
			if strings.EqualFold(t.Indexes[i].Name, spec.FromKey.O) {
				t.Indexes[i].Name = spec.ToKey.O
			}
		}
	}
}

// put inserts a column at i, or where its definition says.
func (t *Table) put(s *ddl, def *ast.ColumnDef, item []token, i int, position *ast.ColumnPosition) {
	item = s.columnPart(item, def.Name.Name.O)
	if position != nil && position.Tp == ast.ColumnPositionFirst {
		i = 0
	}
	if position != nil && position.Tp == ast.ColumnPositionAfter {
		if at := t.index(position.RelativeColumn.Name.O); at >= 0 {
			i = at + 1
		}
	}
	t.Columns = slices.Insert(t.Columns, i, s.column(def, item))
	t.columnKeys(s, def, item)
}

// columnPart is the part of an item of ALTER TABLE from the name of the column on: after ADD, after the old
// name of a CHANGE, or in the brackets of ADD (a INT, b INT).
func (s *ddl) columnPart(item []token, name string) []token {
	for i := 1; i < len(item); i++ {
		if item[i].kind == tokenWord && strings.EqualFold(item[i].text, name) {
			return splitItems(item[i:])[0]
		}
	}
	return nil
}

// replace gives a column a new definition, and with it a new comment or none: a MODIFY that leaves
// VersionComment out makes the table unversioned.
func (t *Table) replace(s *ddl, old string, spec *ast.AlterTableSpec, item []token) bool {
	at := t.index(old)
	if at < 0 {
		return false
	}
	t.Columns = slices.Delete(t.Columns, at, at+1)
	t.put(s, spec.NewColumns[0], item, at, spec.Position)
	return true
}

func (t *Table) index(column string) int {
	return slices.IndexFunc(t.Columns, func(c *Column) bool { return strings.EqualFold(c.Name, column) })
}

// dropColumn takes the column out of the keys as well; an index without columns is gone.
func (t *Table) dropColumn(name string) {
	is := func(s string) bool { return strings.EqualFold(s, name) }
	t.Columns = slices.DeleteFunc(t.Columns, func(c *Column) bool { return is(c.Name) })
	t.Primary = slices.DeleteFunc(t.Primary, is)
	for i := range t.Indexes {
		t.Indexes[i].Columns = slices.DeleteFunc(t.Indexes[i].Columns, is)
	}
	t.Indexes = slices.DeleteFunc(t.Indexes, func(i Index) bool { return len(i.Columns) == 0 })
}

// renameColumn renames it in the keys of its table and in foreign keys that point to it.
func (c *Catalog) renameColumn(t *Table, old, now string) {
	rename := func(names []string) {
		for i := range names {
			if strings.EqualFold(names[i], old) {
				names[i] = now
			}
		}
	}
	rename(t.Primary)
	for _, i := range t.Indexes {
		rename(i.Columns)
	}
	for _, k := range t.ForeignKeys {
		rename(k.Columns)
	}
	for _, other := range c.Tables {
		for _, k := range other.ForeignKeys {
			if strings.EqualFold(k.Table, t.Name) {
				rename(k.References)
			}
		}
	}
}
