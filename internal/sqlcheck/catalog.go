package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// VersionComment in a column's COMMENT makes the column its table's version.
const VersionComment = "sqlcas:version"

// Catalog is what schema files say about tables, after all of them have run in their order.
type Catalog struct {
	Tables []*Table // in the order in which they were created

	// Triggers are those that were created and not dropped since.
	Triggers []*Trigger

	// Routines are the procedures, functions and events that were created and not dropped since.
	Routines []*Routine

	// Unparsed are statements of the schema that the parser does not know: what they did to a table is
	// not known.
	Unparsed []Finding

	views []*view
}

// Table returns the table of that name, nil if there is none. Names are compared without regard to case,
// as servers on most systems' defaults and all column names are. Of several databases' tables of one name it
// is the one without a database, or else one that has a version.
func (c *Catalog) Table(name string) *Table { return c.TableIn("", name) }

// TableIn returns the table that a statement means by a name with a database, or with an empty one for none. What
// the schema creates without a database may be in any.
func (c *Catalog) TableIn(schema, name string) *Table {
	if c == nil {
		return nil
	}
	var of []*Table
	for _, t := range c.Tables {
		if !strings.EqualFold(t.Name, name) {
			continue
		}
		if strings.EqualFold(t.Schema, schema) {
			return t
		}
		if schema == "" || t.Schema == "" {
			of = append(of, t)
		}
	}
	for _, t := range of {
		if t.Version != nil {
			return t
		}
	}
	if len(of) > 0 {
		return of[0]
	}
	return nil
}

// named returns the table that a name in a parsed statement means.
func (c *Catalog) named(n *ast.TableName) *Table { return c.TableIn(n.Schema.O, n.Name.O) }

// Table is one table.
type Table struct {
	Schema      string // the database, as written; empty where none is
	Name        string
	Comment     string
	Source      Source // where it was created
	Span        Span   // its name there
	Columns     []*Column
	Primary     []string // the columns of the primary key, in the key's order
	Indexes     []Index  // all others, unique ones included
	ForeignKeys []ForeignKey
	Charset     string // as written, lower case; empty for the server's default
	Collation   string // as written, lower case; empty for the charset's default

	// Version is the column that VersionComment, or the user's configuration, makes the version; nil
	// for a table that is not versioned.
	Version *Column

	base *Table // of a view, the table that it is over; nil for a table
}

// Column returns the column of that name, nil if there is none.
func (t *Table) Column(name string) *Column {
	if t == nil {
		return nil
	}
	for _, c := range t.Columns {
		if strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// IsKey reports whether a column is one of the primary key's.
func (t *Table) IsKey(column string) bool {
	return slices.ContainsFunc(t.Primary, func(k string) bool { return strings.EqualFold(k, column) })
}

// Column is one column.
type Column struct {
	Name      string
	Type      string // lower case, without length: "bigint", "varchar", "decimal", "tinyint", "enum"
	Length    int    // as written: 1 of TINYINT(1), 64 of VARCHAR(64), 16 of BINARY(16); 0 if none is
	Scale     int    // of DECIMAL and of seconds; 0 if none is written
	Unsigned  bool
	Elements  []string // of ENUM and SET
	NotNull   bool     // NOT NULL is written at the column, or PRIMARY KEY is; sqlc looks nowhere else
	Comment   string
	Charset   string // as written, lower case; empty for the table's
	Collation string // as written, lower case; empty for the table's
	Default   string // as written, as SQL; empty if none is
	OnUpdate  bool   // ON UPDATE CURRENT_TIMESTAMP
	Generated bool
	AutoIncrement,
	Invisible bool
	Source Source
	File   int  // the number of that source in the schema: what was defined first, and what later
	Span   Span // its name in the source
}

// Index is one index.
type Index struct {
	Name    string
	Columns []string // an indexed expression is ""
	Unique  bool
}

// ForeignKey is one foreign key.
type ForeignKey struct {
	Name               string
	Columns            []string
	Table              string // the one it points to
	References         []string
	OnDelete, OnUpdate string // upper case: "CASCADE", "SET NULL", ...; empty if none is written
	Source             Source
	Span               Span
}

// Trigger is one trigger.
type Trigger struct {
	Name, Table string
	Schema      string // the table's database, as written; empty where none is
	Before      bool
	Event       string // "INSERT", "UPDATE" or "DELETE"
	Body        string // as written
	Source      Source
	Span        Span // its name in the source

	body Span // in the source
}

// of returns the table that a trigger is on, nil if it is not in the catalogue.
func (c *Catalog) of(g *Trigger) *Table { return c.TableIn(g.Schema, g.Table) }

// TriggersOf are the triggers of a table on an event.
func (c *Catalog) TriggersOf(table, event string) []*Trigger {
	var of []*Trigger
	for _, t := range c.Triggers {
		if t.Event == event && strings.EqualFold(t.Table, table) && c.of(t) == c.Table(table) {
			of = append(of, t)
		}
	}
	return of
}
