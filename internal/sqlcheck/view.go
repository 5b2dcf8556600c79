package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// view is one view. A write to it is a write to what it is over.
type view struct {
	schema, name string
	tokens       []token             // all of its definition
	node         *ast.CreateViewStmt // nil where the parser does not know it

	// Both are found out when all of the schema has run.
	table     *Table // the table that it is over, with the view's names; nil if it is not over just one
	versioned *Table // without it: a versioned table that the view names, nil if there is none
}

// isView reports whether the statement defines a view.
func (s *ddl) isView() bool {
	i := s.objectAt()
	return i >= 0 && s.isKeyword(s.tokens[i], "VIEW") && slices.Contains([]string{"CREATE", "ALTER"}, s.verb())
}

func (c *Catalog) defineView(s *ddl) {
	schema, name := s.qualifiedAfter(s.objectAt() + 1)
	v := &view{schema: schema, name: name, tokens: s.tokens}
	if node, err := parse(s.parserText()); err == nil {
		v.node, _ = node.(*ast.CreateViewStmt)
	}
	c.dropView(schema, name)
	c.views = append(c.views, v)
}

func (c *Catalog) dropView(schema, name string) {
	c.views = slices.DeleteFunc(c.views, func(v *view) bool {
		return strings.EqualFold(v.name, name) && strings.EqualFold(v.schema, schema)
	})
}

// viewIn returns the view that a statement means by a name, nil if there is none.
func (c *Catalog) viewIn(schema, name string) *view {
	if c == nil {
		return nil
	}
	for _, v := range c.views {
		if strings.EqualFold(v.name, name) && (schema == "" || v.schema == "" || strings.EqualFold(v.schema, schema)) {
			return v
		}
	}
	return nil
}

// resolveViews finds what the views are over. A view can be over one that was defined before it.
func (c *Catalog) resolveViews() {
	all := c.views
	for i, v := range all {
		c.views = all[:i]
		if v.table = c.over(v); v.table == nil {
			v.versioned, _ = c.versionedIn(v.tokens)
		}
	}
	c.views = all
}

// versionedIn returns the first versioned table that words name, themselves or by a view, and which of them
// does.
func (c *Catalog) versionedIn(tokens []token) (*Table, int) {
	for i, t := range tokens {
		if t.kind != tokenWord {
			continue
		}
		schema := ""
		if i >= 2 && tokens[i-1].is(".") {
			schema = tokens[i-2].text
		}
		if table := c.TableIn(schema, t.text); table != nil && table.Version != nil {
			return table, i
		}
		switch v := c.viewIn(schema, t.text); {
		case v == nil:
		case v.table != nil && v.table.Version != nil:
			return v.table.root(), i
		case v.versioned != nil:
			return v.versioned, i
		}
	}
	return nil, 0
}

// over returns the one table that a view is over, as the view shows it; nil where it shows something else, such as
// a join.
func (c *Catalog) over(v *view) *Table {
	if v.node == nil {
		return nil
	}
	n, ok := v.node.Select.(*ast.SelectStmt)
	if !ok || n.From == nil || n.Fields == nil || n.With != nil || n.Distinct || n.GroupBy != nil || n.Having != nil || n.Limit != nil {
		return nil
	}
	sources := sourcesOf(n.From.TableRefs)
	if len(sources) != 1 {
		return nil
	}
	name, ok := sources[0].Source.(*ast.TableName)
	if !ok {
		return nil
	}
	of := c.named(name)
	if of == nil {
		if inner := c.viewIn(name.Schema.O, name.Name.O); inner != nil {
			of = inner.table
		}
	}
	if of == nil {
		return nil
	}
	shown := of.shownBy(n.Fields.Fields)
	for i, name := range v.node.Cols {
		if i < len(shown) {
			shown[i].name = name.O
		}
	}
	return of.shown(v, shown)
}

// shownColumn is a column of a view: its name there, and the column that it is; nil for an expression.
type shownColumn struct {
	name   string
	column *Column
}

func (t *Table) shownBy(fields []*ast.SelectField) []shownColumn {
	var shown []shownColumn
	for _, f := range fields {
		if f.WildCard != nil {
			for _, c := range t.Columns {
				if !c.Invisible {
					shown = append(shown, shownColumn{c.Name, c})
				}
			}
			continue
		}
		s := shownColumn{name: f.AsName.O}
		if c, ok := unwrap(f.Expr).(*ast.ColumnNameExpr); ok {
			s.column = t.Column(c.Name.Name.O)
			if s.name == "" {
				s.name = c.Name.Name.O
			}
		}
		shown = append(shown, s)
	}
	return shown
}

// shown is the table with the view's names. A column of a key, or the version, that the view does not show has a
// name that no statement can write: who writes through the view cannot compare it.
func (t *Table) shown(v *view, columns []shownColumn) *Table {
	made := &Table{Schema: v.schema, Name: v.name, Source: t.Source, Span: t.Span, base: t.root()}
	name := func(column string) string {
		for _, c := range columns {
			if c.column != nil && strings.EqualFold(c.column.Name, column) {
				return c.name
			}
		}
		return t.Name + "." + column
	}
	for _, c := range columns {
		column := &Column{Name: c.name}
		if c.column != nil {
			*column = *c.column
			column.Name = c.name
		}
		made.Columns = append(made.Columns, column)
		if c.column != nil && c.column == t.Version && made.Version == nil {
			made.Version = column
		}
	}
	if t.Version != nil && made.Version == nil {
		hidden := *t.Version
		hidden.Name = name(hidden.Name)
		made.Version = &hidden
	}
	for _, key := range t.Primary {
		made.Primary = append(made.Primary, name(key))
	}
	for _, i := range t.Indexes {
		i.Columns = slices.Clone(i.Columns)
		for n := range i.Columns {
			i.Columns[n] = name(i.Columns[n])
		}
		made.Indexes = append(made.Indexes, i)
	}
	return made
}

// root is the table itself, of a view the one that it is over.
func (t *Table) root() *Table {
	if t != nil && t.base != nil {
		return t.base
	}
	return t
}
