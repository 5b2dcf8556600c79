package casgen

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// declared are the package's names that are there whatever the schema is, and what they are.
var declared = map[string]string{
	"Schemas": "the list of all schemas", "Queries": "sqlc's type", "DBTX": "sqlc's interface",
	"Querier": "sqlc's interface", "New": "sqlc's function", "Prepare": "sqlc's function",
}

// checkStructs refuses tables whose structs would have a name that the package has already: that does not compile,
// and no option of a descriptor changes the name of a struct.
func (m *maker) checkStructs() {
	structs := map[string]*sqlcheck.Table{}
	for _, t := range m.catalog.Tables {
		name := m.naming.Struct(t.Name)
		other := structs[name]
		structs[name] = t
		switch {
		case declared[name] != "":
			m.fault(t.Source, t.Span, "the struct of table "+t.Name+" would be called "+name+", as "+declared[name]+" is", m.renaming(t))
		case other == nil || strings.EqualFold(other.Name, t.Name) || t.Version == nil && other.Version == nil:
			continue
		case m.naming.structKey(t.Name) != m.naming.structKey(other.Name):
			m.fault(t.Source, t.Span, "the structs of tables "+other.Name+" and "+t.Name+" would both be called "+name, m.renaming(t))
		default:
			plural := strings.ToLower(t.Name)
			if plural == m.naming.structKey(t.Name) {
				plural = strings.ToLower(other.Name)
			}
			m.fault(t.Source, t.Span, "the structs of tables "+other.Name+" and "+t.Name+" would both be called "+name,
				"add "+plural+" to gen.go's inflection_exclude_table_names, so that its struct is called "+m.naming.Name(plural))
		}
		m.twins[t] = true
	}
}

// renaming is the mend for a struct's name.
func (m *maker) renaming(t *sqlcheck.Table) string {
	return fmt.Sprintf("give it another name in gen.go's rename: {%s: %sRow}", m.naming.structKey(t.Name), m.naming.Struct(t.Name))
}

// checkNames refuses names that Go or sqlc would not take, or that are there twice. A narrow descriptor's is looked
// at last: it is chosen freely, and is to make way.
func (m *maker) checkNames() {
	taken := m.typeNames()
	queries := map[string]string{}
	for _, narrow := range []bool{false, true} {
		for _, d := range m.made {
			if d.Narrow == narrow && (narrow || !m.twins[d.Table]) {
				m.checkName(d, taken, queries)
			}
		}
	}
}

// checkName compares a descriptor's names with the package's, and adds the names of its queries.
func (m *maker) checkName(d Descriptor, taken, queries map[string]string) {
	t := d.Table
	if !token.IsIdentifier(d.Name) || !token.IsExported(d.Name) {
		m.fault(t.Source, t.Span, "descriptor "+strconv.Quote(d.Name)+" of table "+t.Name+" is no exported name of Go", d.rename())
		return
	}
	for name, of := range d.typeNames() {
		if other := taken[name]; other != "" {
			m.fault(t.Source, t.Span, of+" of descriptor "+d.Name+" would be called "+name+", as "+other+" is", d.rename())
		}
	}
	twice := map[string][]string{}
	for _, name := range QueryNames(d) {
		if other := queries[name]; other != "" {
			twice[other] = append(twice[other], name)
			continue
		}
		queries[name] = d.Name
	}
	for _, other := range slices.Sorted(maps.Keys(twice)) {
		m.fault(t.Source, t.Span, "descriptors "+other+" and "+d.Name+" both have queries "+enumerate(twice[other]), d.rename())
	}
}

// rename is the mend for a descriptor's name.
func (d Descriptor) rename() string {
	if d.Narrow {
		return "choose another name than " + d.Name + " in option tables." + d.Table.Name + ".narrow"
	}
	return "choose another name in option tables." + d.Table.Name + ".name"
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
