package casgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// tablePlan is one descriptor with the queries that it is made of.
type tablePlan struct {
	Descriptor
	base    *tablePlan // the table's own descriptor, whose key a narrow one shares
	key     []keyPart
	queries map[string]*call // by verb: "lock nowait"
}

// call is a query whose parameters are known for what they are.
type call struct {
	*compiled
	slots []slot // as many as the query has parameters
}

// checkedWrite is a compare-and-swap that is to tell a conflict by its type.
type checkedWrite struct {
	*call
	table *tablePlan
}

// lockedRead is a locking read written by hand that is to take a transaction.
type lockedRead struct{ *compiled }

// keyPart is one column of a key as it is in Go.
type keyPart struct {
	column *sqlcheck.Column
	field  string // of the row and, where there are several, of the key
	text   string // the type in the key
	form   keyForm
	row    GoType // the type in the row
}

// keyForm is how a key's part is had from a row's field.
type keyForm uint8

const (
	keyPlain keyForm = iota // as it is
	keyArray                // [n]byte of the []byte of a BINARY(n)
	keyText                 // string of another []byte
)

// plan makes the tables of the descriptors, which have been found to be sound.
func (g *generator) plan(descriptors []Descriptor) {
	bases := map[string]*tablePlan{}
	for _, d := range descriptors {
		p := &tablePlan{Descriptor: d, queries: map[string]*call{}}
		for _, c := range d.Key {
			p.key = append(p.key, g.keyPart(d.Table, c))
		}
		if !d.Narrow {
			bases[d.Table.Name] = p
		}
		p.base = bases[d.Table.Name]
		g.tables = append(g.tables, p)
	}
}

func (g *generator) keyPart(t *sqlcheck.Table, c *sqlcheck.Column) keyPart {
	row := g.columnType(t, c)
	part := keyPart{column: c, field: g.naming.Name(c.Name), text: row.Text, row: row}
	if row.Kind == KindBytes {
		part.form, part.text = keyText, "string"
		if c.Type == "binary" {
			part.form, part.text = keyArray, fmt.Sprintf("[%d]byte", max(c.Length, 1))
		}
	}
	return part
}

// columnType is what sqlc makes of a column. Descriptors has asked before, and refused what is no type.
func (g *generator) columnType(t *sqlcheck.Table, c *sqlcheck.Column) GoType {
	made, _ := g.naming.typeAs(t, c, g.dbType(t, c))
	return beside(made)
}

// dbType is what sqlc calls a column's type, by its request where that has the column.
func (g *generator) dbType(t *sqlcheck.Table, c *sqlcheck.Column) string {
	if theirs := g.request.table(t.Name); theirs != nil && len(c.Elements) > 0 {
		for _, column := range theirs.Columns {
			if strings.EqualFold(column.Name, c.Name) && column.Type.Name != "" {
				return column.Type.Name
			}
		}
	}
	return dbType(t, c)
}

// ours are the packages that the generated file imports for itself.
var ours = map[string]string{
	"bytes": "bytes", "cmp": "cmp", "context": "context", "fmt": "fmt", "slices": "slices", "sql": "database/sql",
	"sqlcas": "github.com/sqlcas/sqlcas",
}

// beside gives the package of an override's type another name in the generated file, if one of ours has its name.
func beside(t GoType) GoType {
	for i, theirs := range t.Imports {
		bare := strings.TrimLeft(t.Text, "[]*")
		name, of, ok := strings.Cut(bare, ".")
		if path := ours[name]; !ok || path == "" || path == theirs.Path {
			continue
		}
		t.Imports = slices.Clone(t.Imports)
		t.Imports[i].Alias = name + "type"
		t.Text = strings.TrimSuffix(t.Text, bare) + t.Imports[i].Alias + "." + of
	}
	return t
}

// computed reports whether the server changes columns of the row by itself when it is written.
func (g *generator) computed(p *tablePlan) bool {
	if p.Computed || slices.ContainsFunc(p.Read, computed) {
		return true
	}
	for _, t := range g.catalogue.TriggersOf(p.Table.Name, "UPDATE") {
		if t.Before {
			return true
		}
	}
	return false
}

// keyType returns the type of a descriptor's key.
func (p *tablePlan) keyType() string {
	if len(p.key) == 1 {
		return p.key[0].text
	}
	return p.base.Name + "Key"
}
