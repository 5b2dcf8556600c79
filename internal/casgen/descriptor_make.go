package casgen

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Descriptors returns the descriptors of all versioned tables in the catalogue's order, each table's narrow ones
// behind its own by their names; or else what cannot be described, and no descriptors. A fault of the options
// that is at no table is put at the start of sqlc.yaml.
func Descriptors(c *sqlcheck.Catalog, o Options) ([]Descriptor, []sqlcheck.Finding) {
	m := maker{catalog: c, naming: NewNaming(o), options: map[string]TableOptions{}, twins: map[*sqlcheck.Table]bool{}}
	if m.naming.err != nil {
		m.fault(optionFile, sqlcheck.Span{}, m.naming.err.Error(), "mend the override")
		return nil, m.found
	}
	m.readTables(o)
	for _, t := range c.Tables {
		if t.Version != nil {
			m.describe(t)
		}
	}
	m.checkStructs()
	m.checkNames()
	if len(m.found) > 0 {
		return nil, sqlcheck.Sort(inRulesWords(m.found, c))
	}
	return m.made, nil
}

// inRulesWords puts the schema rules' own findings in the place of those that say the same, so that a caller that
// has looked at the schema too does not say it twice.
func inRulesWords(found []sqlcheck.Finding, c *sqlcheck.Catalog) []sqlcheck.Finding {
	schema := sqlcheck.CheckSchema(c)
	for i, f := range found {
		same := slices.IndexFunc(schema, func(s sqlcheck.Finding) bool {
			return s.Rule == f.Rule && s.File == f.File && s.Line == f.Line && s.Column == f.Column
		})
		if same >= 0 {
			found[i] = schema[same]
		}
	}
	return found
}

// optionFile is where a fault is that only the options have.
var optionFile = sqlcheck.Source{Name: "sqlc.yaml"}

// optionRule is the rule of what the generator alone refuses.
const optionRule = "option"

type maker struct {
	catalog *sqlcheck.Catalog
	naming  Naming
	options map[string]TableOptions // by the tables' names in lower case
	made    []Descriptor
	found   []sqlcheck.Finding
	twins   map[*sqlcheck.Table]bool // whose struct is another table's too
}

func (m *maker) fault(at sqlcheck.Source, span sqlcheck.Span, message, mend string) {
	m.found = append(m.found, at.At(optionRule, span, message, mend))
}

func (m *maker) faultAt(c *sqlcheck.Column, rule, message, mend string) {
	m.found = append(m.found, c.Source.At(rule, c.Span, message, mend))
}

// readTables takes the tables' options over and looks for those of which the schema knows nothing.
func (m *maker) readTables(o Options) {
	for _, name := range slices.Sorted(maps.Keys(o.Tables)) {
		of, t := o.Tables[name], m.catalog.Table(name)
		key := strings.ToLower(name)
		if _, twice := m.options[key]; twice {
			m.fault(optionFile, sqlcheck.Span{}, "tables has "+name+" twice, in another case", "leave one of the two")
		}
		m.options[key] = of
		switch {
		case t == nil:
			m.fault(optionFile, sqlcheck.Span{}, "tables."+name+" is about a table that no schema file creates",
				"correct the name, or add the file to schema")
		case of.Version != "" && t.Column(of.Version) == nil:
			m.fault(t.Source, t.Span, "tables."+name+".version names "+of.Version+", which is no column of the table",
				"correct the name")
		case t.Version == nil:
			m.fault(t.Source, t.Span, "tables."+name+" is about a table without a version column",
				"give the column the comment "+sqlcheck.VersionComment+", or name it in tables."+name+".version")
		}
	}
}

// describe makes a table's descriptors.
func (m *maker) describe(t *sqlcheck.Table) {
	of := m.options[strings.ToLower(t.Name)]
	d := Descriptor{
		Name: cmp.Or(of.Name, m.naming.Struct(t.Name)), Table: t, Upsert: of.Upsert, Zero: of.Zero, Computed: of.Computed,
		Read: inSqlcOrder(t),
	}
	for _, name := range t.Primary {
		if c := t.Column(name); c != nil {
			d.Key = append(d.Key, c)
		}
	}
	d.Write = writable(t, d.Read)
	m.checkKey(d)
	m.checkVersion(d)
	m.checkFields(d)
	m.checkNull(d)
	m.checkFloat(d)
	m.checkTime(d)
	m.checkUnsigned(d)
	m.checkUpsert(d)
	m.made = append(append(m.made, d), m.narrow(d, of)...)
}

// narrow makes the descriptors of a table that have some of its columns only.
func (m *maker) narrow(of Descriptor, o TableOptions) []Descriptor {
	var all []Descriptor
	for _, name := range slices.Sorted(maps.Keys(o.Narrow)) {
		d := of
		d.Name, d.Narrow, d.Upsert, d.Read = name, true, false, nil
		wanted := map[*sqlcheck.Column]bool{of.Table.Version: true}
		for _, c := range of.Key {
			wanted[c] = true
		}
		for _, column := range o.Narrow[name] {
			c := of.Table.Column(column)
			if c == nil {
				m.fault(of.Table.Source, of.Table.Span, "narrow."+name+" of table "+of.Table.Name+" names "+column+
					", which is no column of the table", "correct the name")
				continue
			}
			wanted[c] = true
		}
		for _, c := range of.Read {
			if wanted[c] {
				d.Read = append(d.Read, c)
			}
		}
		d.Write = writable(of.Table, d.Read)
		all = append(all, d)
	}
	return all
}

// writable are those columns that a swap sets besides the version: not what the server computes, and not the
// key, which other rows point to.
func writable(t *sqlcheck.Table, columns []*sqlcheck.Column) []*sqlcheck.Column {
	var out []*sqlcheck.Column
	for _, c := range columns {
		if c != t.Version && !t.IsKey(c.Name) && !computed(c) {
			out = append(out, c)
		}
	}
	return out
}

// computed reports whether the server alone writes a column.
func computed(c *sqlcheck.Column) bool { return c.Generated || c.OnUpdate }

// inSqlcOrder returns a table's columns in the order in which sqlc has them in the table's struct, since it gives
// a row that very struct only if the columns are read in its order. It is the order in which the columns
// were defined, for sqlc knows no AFTER and no FIRST and moves a column that is modified to the end.
func inSqlcOrder(t *sqlcheck.Table) []*sqlcheck.Column {
	columns := slices.Clone(t.Columns)
	slices.SortStableFunc(columns, func(a, b *sqlcheck.Column) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	return columns
}
