package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// ReadSchema runs the statements of schema files in their order and returns the tables and triggers that
// are there at the end. Of a migration it runs the way up, see UpPart. What does not concern tables is left
// out; what the parser does not know is in Unparsed.
//
// Versions name the version columns that have no VersionComment. A table or column in it that does not
// exist is the caller's to report; where both name a column, versions decides.
func ReadSchema(sources []Source, versions Versions) *Catalog {
	c := &Catalog{}
	for i, src := range sources {
		text := UpPart(src.Text)
		for _, span := range Split(text) {
			s := newDDL(src, span, text[span.Start:span.End])
			s.file = i
			c.run(s)
		}
	}
	for _, t := range c.Tables {
		t.impliedIndexes()
		t.Version = versionOf(t, versions)
	}
	c.resolveViews()
	return c
}

// versionOf finds a table's version. The first of two columns with the comment counts: CAS006 reports the
// other.
func versionOf(t *Table, versions Versions) *Column {
	for table, column := range versions {
		if strings.EqualFold(table, t.Name) && t.Column(column) != nil {
			return t.Column(column)
		}
	}
	for _, c := range t.Columns {
		if c.marked() {
			return c
		}
	}
	return nil
}

// marked reports whether the column's comment says that it is a version, as a word of its own: it may
// explain itself besides.
func (c *Column) marked() bool {
	return slices.ContainsFunc(strings.Fields(c.Comment), func(word string) bool {
		return strings.TrimRight(word, ".,;:") == VersionComment
	})
}

func (c *Catalog) run(s *ddl) {
	if s.isTrigger() {
		c.createTrigger(s)
		return
	}
	if s.isRoutine() {
		c.runRoutine(s)
		return
	}
	if s.isView() {
		c.defineView(s)
		return
	}
	node, err := parse(s.parserText())
	if err != nil {
		c.unknown(s, err)
		return
	}
	switch n := node.(type) {
	case *ast.CreateTableStmt:
		c.createTable(s, n)
	case *ast.AlterTableStmt:
		c.alterTable(s, n)
	case *ast.CreateIndexStmt:
		c.createIndex(n)
	case *ast.DropIndexStmt:
		c.named(n.Table).dropIndex(n.IndexName)
	case *ast.RenameTableStmt:
		for _, r := range n.TableToTables {
			c.rename(c.named(r.OldTable), r.NewTable.Schema.O, r.NewTable.Name.O)
		}
	case *ast.DropTableStmt:
		for _, t := range n.Tables {
			switch {
			case n.IsView:
				c.dropView(t.Schema.O, t.Name.O)
			case n.TemporaryKeyword == ast.TemporaryNone:
				c.drop(t.Schema.O, t.Name.O)
			}
		}
	case *ast.DropTriggerStmt:
		c.dropTrigger(n.TriggerName.Schema.O, n.TriggerName.Name.O)
	}
}

// createTable leaves a temporary table out: a schema's end has none.
func (c *Catalog) createTable(s *ddl, n *ast.CreateTableStmt) {
	schema, name := n.Table.Schema.O, n.Table.Name.O
	if n.TemporaryKeyword != ast.TemporaryNone || n.IfNotExists && slices.ContainsFunc(c.Tables, isIn(schema, name)) {
		return
	}
	t := &Table{Schema: schema, Name: name, Source: s.source, Span: s.find(s.tokens, name)}
	if n.ReferTable != nil {
		from := c.named(n.ReferTable)
		if from == nil {
			c.unsure(s, t, "copies table "+n.ReferTable.Name.O+", which is not in the schema")
			return
		}
		t.like(from)
	}
	if n.Select != nil {
		c.unsure(s, t, "takes columns from a SELECT")
		return
	}
	items := s.columnItems()
	for _, def := range n.Cols {
		item := itemOf(s, items, def.Name.Name.O)
		t.Columns = append(t.Columns, s.column(def, item))
		t.columnKeys(s, def, item)
	}
	for i, item := range constraintItems(s, items) {
		if i < len(n.Constraints) {
			t.add(s, n.Constraints[i], item)
		}
	}
	t.options(s, n.Options, s.optionTokens())
	c.remove(schema, name) // of CREATE OR REPLACE
	c.Tables = append(c.Tables, t)
}

func (c *Catalog) createIndex(n *ast.CreateIndexStmt) {
	t := c.named(n.Table)
	if t == nil || n.KeyType != ast.IndexKeyTypeNone && n.KeyType != ast.IndexKeyTypeUnique {
		return
	}
	t.addIndex(n.IndexName, partColumns(n.IndexPartSpecifications), n.KeyType == ast.IndexKeyTypeUnique)
}

// rename takes foreign keys and triggers along, as the server does.
func (c *Catalog) rename(t *Table, schema, to string) {
	if t == nil {
		return
	}
	from := t.Name
	c.remove(schema, to)
	for _, other := range c.Tables {
		for i := range other.ForeignKeys {
			if strings.EqualFold(other.ForeignKeys[i].Table, from) {
				other.ForeignKeys[i].Table = to
			}
		}
	}
	for _, g := range c.Triggers {
		if c.of(g) == t {
			g.Schema, g.Table = schema, to
		}
	}
	t.Schema, t.Name = schema, to
}

// drop takes the table's triggers along. A table of that name in another database stays.
func (c *Catalog) drop(schema, name string) {
	is := isIn(schema, name)
	c.Triggers = slices.DeleteFunc(c.Triggers, func(g *Trigger) bool { return c.of(g) != nil && is(c.of(g)) })
	c.remove(schema, name)
}

func (c *Catalog) remove(schema, name string) {
	c.Tables = slices.DeleteFunc(c.Tables, isIn(schema, name))
}

// isIn tells the table of just that name and database.
func isIn(schema, name string) func(*Table) bool {
	return func(t *Table) bool { return strings.EqualFold(t.Schema, schema) && strings.EqualFold(t.Name, name) }
}

func (c *Catalog) dropTrigger(schema, name string) {
	c.Triggers = slices.DeleteFunc(c.Triggers, func(g *Trigger) bool {
		return strings.EqualFold(g.Name, name) && (schema == "" || g.Schema == "" || strings.EqualFold(g.Schema, schema))
	})
}
