package casgen

import (
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// overrideOf writes the override that gives a column another type. sqlc's catalogue has lower case only.
func overrideOf(d Descriptor, c *sqlcheck.Column, goType string) string {
	return "add to gen.go's overrides: {column: " + strings.ToLower(d.Table.Name+"."+c.Name) + ", go_type: " + goType + "}"
}

// checkNull refuses columns that may be NULL where sqlc's type cannot be read from it: a row that has one could not
// be read at all.
func (m *maker) checkNull(d Descriptor) {
	for _, c := range d.Read {
		if g, err := m.naming.Type(d.Table, c); err != nil || g.Kind != KindRawJSON || c.NotNull {
			continue
		}
		m.faultAt(c, optionRule, "column "+d.Table.Name+"."+c.Name+" may be NULL, and sqlc makes json.RawMessage of it, which cannot be read "+
			"from NULL", "write NOT NULL, or "+overrideOf(d, c, "{import: encoding/json, type: RawMessage, pointer: true}"))
	}
}

// checkFloat refuses single precision among what is written: it arrives in Go as a text of six digits, so that a
// swap which changes another column would round it.
func (m *maker) checkFloat(d Descriptor) {
	for _, c := range d.Write {
		if c.Type == "float" {
			m.faultAt(c, optionRule, "column "+d.Table.Name+"."+c.Name+" is a FLOAT, which servers send with six digits: each swap "+
				"of the row would round it", "make it DOUBLE or DECIMAL")
		}
	}
}

// checkTime refuses TIME where sqlc's type is a point in time: it is a span of it, and the driver gives its text, which
// cannot be read into a time.Time.
func (m *maker) checkTime(d Descriptor) {
	for _, c := range d.Read {
		g, err := m.naming.Type(d.Table, c)
		if err != nil || c.Type != "time" || g.Text != "time.Time" && g.Text != "sql.NullTime" {
			continue
		}
		goType := "string"
		if !c.NotNull {
			goType = "{type: string, pointer: true}"
		}
		m.faultAt(c, optionRule, "column "+d.Table.Name+"."+c.Name+" is a TIME, of which sqlc makes "+g.Text+": no row that has one "+
			"could be read", overrideOf(d, c, goType))
	}
}

// narrowed are the types of Go that sqlc takes for unsigned columns that may be NULL, by the column's, and those that
// hold all their values.
var narrowed = map[string]struct{ sqlc, whole string }{
	"smallint": {"sql.NullInt16", "uint16"},
	"int":      {"sql.NullInt32", "uint32"},
	"bigint":   {"sql.NullInt64", "uint64"},
}

// checkUnsigned refuses unsigned columns whose larger half sqlc's type cannot hold: a row that has such a value could
// not be read.
func (m *maker) checkUnsigned(d Descriptor) {
	for _, c := range d.Read {
		if !c.Unsigned || c.NotNull || c == d.Table.Version || d.Table.IsKey(c.Name) {
			continue
		}
		g, err := m.naming.Type(d.Table, c)
		if of := narrowed[c.Type]; err == nil && of.sqlc == g.Text {
			m.faultAt(c, optionRule, "column "+d.Table.Name+"."+c.Name+" is unsigned and may be NULL, and sqlc makes "+g.Text+
				" of it, which cannot hold the larger half of its values",
				"write NOT NULL, or "+overrideOf(d, c, "{type: "+of.whole+", pointer: true}"))
		}
	}
}
