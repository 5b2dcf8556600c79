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

// checkVersion refuses versions that are no integers in Go, and rows that start at what means never read.
func (m *maker) checkVersion(d Descriptor) {
	t, c := d.Table, d.Table.Version
	name := t.Name + "." + c.Name
	g, _ := m.naming.Type(t, c)
	switch plain := goTypeOf(plainType(c)); {
	case t.IsKey(c.Name):
		m.faultAt(c, "CAS006", "version "+name+" is part of the primary key, which a swap does not change", "leave it out of the key")
	case !c.NotNull:
		m.faultAt(c, "CAS006", "version "+name+" may be NULL, which compares equal to nothing", "write NOT NULL at the column")
	case plain.Kind != KindInteger || c.Type == "year":
		m.faultAt(c, "CAS006", "version "+name+" is no integer", "make it BIGINT UNSIGNED NOT NULL DEFAULT 1")
	case c.Generated || c.OnUpdate || c.AutoIncrement:
		m.faultAt(c, "CAS006", "version "+name+" is computed by the server", "make it BIGINT UNSIGNED NOT NULL DEFAULT 1")
	case g.Kind != KindInteger:
		m.faultAt(c, optionRule, "an override makes version "+name+" of type "+g.Text+", of which nothing is known",
			"leave the override out for this column, or take an integer type of Go")
	case !d.Zero && isZero(c.Default):
		m.faultAt(c, optionRule, "version "+name+" starts at 0, which means that a row was never read",
			"write DEFAULT 1, or set option tables."+t.Name+".zero to true")
	}
}

// isZero reports whether a DEFAULT as it is written is the number 0.
func isZero(sql string) bool {
	number, err := strconv.ParseFloat(strings.Trim(sql, `'"() `), 64)
	return err == nil && number == 0
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

// checkNull refuses columns that may be NULL where sqlc's type cannot be read from it: a row that has one could not
// be read at all.
func (m *maker) checkNull(d Descriptor) {
	for _, c := range d.Read {
		if g, err := m.naming.Type(d.Table, c); err != nil || g.Kind != KindRawJSON || c.NotNull {
			continue
		}
		name := d.Table.Name + "." + c.Name
		m.faultAt(c, optionRule, "column "+name+" may be NULL, and sqlc makes json.RawMessage of it, which cannot be read from NULL",
			"write NOT NULL, or add to gen.go's overrides: {column: "+name+
				", go_type: {import: encoding/json, type: RawMessage, pointer: true}}")
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

// checkNames refuses names that Go or sqlc would not take, or that are there twice.
func (m *maker) checkNames() {
	taken := m.typeNames()
	queries := map[string]string{}
	for _, d := range m.made {
		t := d.Table
		mend := "set option tables." + t.Name + ".name"
		if d.Narrow {
			mend = "choose another name in option tables." + t.Name + ".narrow"
		}
		if !token.IsIdentifier(d.Name) || !token.IsExported(d.Name) {
			m.fault(t.Source, t.Span, "descriptor "+strconv.Quote(d.Name)+" of table "+t.Name+" is no exported name of Go", mend)
			continue
		}
		for name, of := range d.typeNames() {
			if other := taken[name]; other != "" {
				m.fault(t.Source, t.Span, of+" of descriptor "+d.Name+" would be called "+name+", as "+other+" is", mend)
			}
		}
		for _, name := range QueryNames(d) {
			if other := queries[name]; other != "" {
				m.fault(t.Source, t.Span, "descriptors "+other+" and "+d.Name+" both have a query "+name, mend)
				break
			}
			queries[name] = d.Name
		}
	}
}

// typeNames are the types that sqlc makes of the schema, and what of.
func (m *maker) typeNames() map[string]string {
	names := map[string]string{}
	for _, t := range m.catalog.Tables {
		names[m.naming.Struct(t.Name)] = "the struct of table " + t.Name
		for _, c := range t.Columns {
			if len(c.Elements) > 0 {
				name := m.naming.Name(dbType(t, c))
				names[name], names["Null"+name] = "the type of "+t.Name+"."+c.Name, "the type of "+t.Name+"."+c.Name
			}
		}
	}
	return names
}

// typeNames are the package's names that a descriptor asks for, and what for; methods of Queries are not
// among them.
func (d Descriptor) typeNames() map[string]string {
	names := map[string]string{d.Name + "Table": "the table", "Lock" + d.Name: "the locking read"}
	if d.Upsert {
		names["Upsert"+d.Name] = "the upsert"
	}
	if len(d.Key) > 1 {
		names[d.Name+"Key"] = "the key"
	}
	if d.Narrow {
		names[d.Name] = "the row"
	}
	return names
}

// assignsKey reports whether the server makes a row's key when it is inserted.
func (d Descriptor) assignsKey() bool { return len(d.Key) == 1 && d.Key[0].AutoIncrement }
