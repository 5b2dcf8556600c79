package casgen

import (
	"go/token"
	"strconv"
	"strings"
)

// checkKey refuses keys that are none, or none in Go.
func (m *maker) checkKey(d Descriptor) {
	t := d.Table
	if len(d.Key) == 0 {
		m.found = append(m.found, t.Source.At("CAS013", t.Span, "versioned table "+t.Name+" has no primary key",
			"add a PRIMARY KEY, by which one row is read and written"))
	}
	for _, c := range d.Key {
		name := t.Name + "." + c.Name
		if !c.NotNull {
			m.faultAt(c, "CAS015", "key column "+name+" has no NOT NULL of its own, and sqlc looks for it nowhere else",
				"write NOT NULL at the column")
			continue
		}
		g, _ := m.naming.Type(t, c)
		switch {
		case c.Type == "float" || c.Type == "double":
			m.faultAt(c, optionRule, "key column "+name+" is a "+strings.ToUpper(c.Type)+", which is not equal to what was read of it",
				"make it an integer or a DECIMAL")
		case c.OnUpdate:
			m.faultAt(c, optionRule, "key column "+name+" is ON UPDATE CURRENT_TIMESTAMP: each swap would give the row another key",
				"leave ON UPDATE out, or leave the column out of the key")
		case c.Generated:
			m.faultAt(c, optionRule, "key column "+name+" is generated, so that a row cannot be inserted by its key",
				"make the columns that it is generated from the key")
		case !canBeKey(g.Kind):
			m.faultAt(c, optionRule, "key column "+name+" is of type "+g.Text+" in Go, by which rows cannot be told apart",
				"give it another type, or leave the override out")
		}
	}
}

// canBeKey reports whether values of a kind are equal where the column's are.
func canBeKey(k Kind) bool {
	switch k {
	case KindFloat, KindRawJSON, KindAny, KindPointer, KindSlice, KindNullWrapper:
		return false
	}
	return true
}

// checkFields refuses columns that sqlc would give one name, or no name of Go: what it makes of them does not
// compile, or has one parameter for two columns. A name of several lines would be read as lines of the file.
func (m *maker) checkFields(d Descriptor) {
	if t := d.Table; t.Name != oneLine(t.Name) {
		m.fault(t.Source, t.Span, "table "+strconv.Quote(t.Name)+" has a control character in its name", "rename it")
	}
	fields, parameters := map[string]string{}, map[string]string{}
	for _, c := range d.Read {
		field, parameter := m.naming.Name(c.Name), m.naming.Parameter(d, c)
		other := fields[field]
		if other == "" {
			other = parameters[m.naming.Name(parameter)]
		}
		switch {
		case c.Name != oneLine(c.Name):
			m.faultAt(c, optionRule, "column "+strconv.Quote(c.Name)+" has a control character in its name", "rename it")
		case !token.IsIdentifier(field):
			m.faultAt(c, optionRule, "column "+d.Table.Name+"."+c.Name+" makes "+strconv.Quote(field)+", which is no name of Go",
				"give it one in gen.go's rename")
		case other != "":
			m.faultAt(c, optionRule, "columns "+other+" and "+c.Name+" of table "+d.Table.Name+" are both "+field+" in Go",
				"give one of them another name, in the schema or in gen.go's rename")
		}
		fields[field], parameters[m.naming.Name(parameter)] = c.Name, c.Name
	}
}

// checkUpsert refuses upserts of rows that cannot be told to be new.
func (m *maker) checkUpsert(d Descriptor) {
	switch t := d.Table; {
	case d.Upsert && d.Zero:
		m.fault(t.Source, t.Span, "upsert and zero of table "+t.Name+" exclude each other: upsert takes version 0 as a row "+
			"that was never read", "leave one of the two out")
	case d.Upsert && d.assignsKey():
		m.fault(t.Source, t.Span, "upsert of table "+t.Name+": a row that is not there has no key yet, the server assigns it",
			"leave upsert out and call Insert"+d.Name)
	}
}
