package casgen

import (
	"fmt"
	"strings"
)

// rowType is the Go type of a descriptor's rows.
func (g *generator) rowType(p *tablePlan) string {
	if g.aliased(p) {
		return p.Name
	}
	return g.structOf(p.queries["get"].compiled)
}

// aliased reports whether the rows have a struct of the query's, which gets the descriptor's name.
func (g *generator) aliased(p *tablePlan) bool {
	return g.structOf(p.queries["get"].compiled) != g.naming.Struct(p.Table.Name)
}

// renderTable writes a descriptor and the locking read that goes with it.
func (g *generator) renderTable(p *tablePlan) {
	row, key := g.rowType(p), p.keyType()
	if len(p.key) > 1 && p.base == p {
		g.renderKey(p)
	}
	for _, part := range p.key {
		if part.form == keyPlain && len(p.key) == 1 {
			g.use(part.row.Imports...)
		}
	}
	if g.aliased(p) {
		get := g.structOf(p.queries["get"].compiled)
		g.doc("%s is what %sTable reads of %s.", p.Name, p.Name, p.Table.Name)
		g.printf("type %s = %s\n\n", p.Name, get)
	}
	g.doc("%sTable describes %s, for the Stores of packages optimistic and pessimistic.", p.Name, p.described())
	g.printf("var %sTable = sqlcas.Table[%s, %s]{\n", p.Name, key, row)
	g.printf("Schema: %s,\n", g.schema(p))
	g.printf("Key: %s,\n", p.keyOf("row "+row, func(part keyPart) string { return "row." + part.field }))
	g.printf("Compare: %s,\n", g.compare(p))
	g.renderVersion(p, row)
	g.renderClone(p, row)
	if g.computed(p) {
		g.printf("Computed: true,\n")
	}
	g.printf("Get: func(ctx context.Context, db sqlcas.DBTX, key %s) (%s, error) {\n%s},\n",
		key, row, g.read(p, p.queries["get"], "db"))
	g.printf("GetForUpdate: Lock%s,\n", p.Name)
	g.printf("Swap: func(ctx context.Context, db sqlcas.DBTX, row %s, steps uint64) (int64, error) {\nreturn %s\n},\n",
		row, g.write(p, p.queries["swap"], "steps"))
	if q := p.queries["delete"]; q != nil {
		g.printf("Delete: func(ctx context.Context, db sqlcas.DBTX, row %s) (int64, error) {\nreturn %s\n},\n", row, g.write(p, q, ""))
	}
	g.printf("}\n\n")
	g.renderLock(p, row, key)
}

func (p *tablePlan) described() string {
	if p.Narrow {
		return "some columns of " + p.Table.Name
	}
	return p.Table.Name
}

// schema writes the sqlcas.Schema.
func (g *generator) schema(p *tablePlan) string {
	var quoted []string
	for _, c := range p.Key {
		quoted = append(quoted, fmt.Sprintf("%q", c.Name))
	}
	text := fmt.Sprintf("sqlcas.Schema{Name: %q, Key: []string{%s}, Version: %q",
		p.Table.Name, strings.Join(quoted, ", "), p.Table.Version.Name)
	if bits := g.versionBits(p); bits < 64 {
		text += fmt.Sprintf(", Max: 1<<%d - 1", bits)
	}
	if p.Zero {
		text += ", Zero: true"
	}
	return text + "}"
}

// versionBits is how many bits of a version fit into the column and into its field.
func (g *generator) versionBits(p *tablePlan) int {
	bits := 64
	switch p.Table.Version.Type {
	case "tinyint":
		bits = 8
	case "smallint":
		bits = 16
	case "mediumint":
		bits = 24
	case "int", "integer":
		bits = 32
	}
	if !p.Table.Version.Unsigned {
		bits--
	}
	t := g.columnType(p.Table, p.Table.Version)
	if t.Signed {
		return min(bits, t.Bits-1)
	}
	return min(bits, t.Bits)
}

// renderVersion writes Version and SetVersion.
func (g *generator) renderVersion(p *tablePlan, row string) {
	field := g.naming.Name(p.Table.Version.Name)
	t := g.columnType(p.Table, p.Table.Version)
	if t.Text == "uint64" {
		g.printf("Version: func(row %s) uint64 { return row.%s },\n", row, field)
		g.printf("SetVersion: func(row *%s, version uint64) { row.%s = version },\n", row, field)
		return
	}
	g.use(t.Imports...)
	g.printf("Version: func(row %s) uint64 { return %s },\n", row, g.asVersion(p, "row."+field))
	g.printf("SetVersion: func(row *%s, version uint64) { row.%s = %s(version) },\n", row, field, t.Text)
}

// renderClone writes Clone for rows of which a plain copy shares something.
func (g *generator) renderClone(p *tablePlan, row string) {
	var lines []string
	for _, c := range p.Read {
		t := g.columnType(p.Table, c)
		field := "row." + g.naming.Name(c.Name)
		switch {
		case t.Kind == KindBytes || t.Kind == KindRawJSON:
			lines = append(lines, fmt.Sprintf("%s = %s.Clone(%s)", field, g.standard("bytes"), field))
		case t.Kind == KindSlice:
			lines = append(lines, fmt.Sprintf("%s = %s.Clone(%s)", field, g.standard("slices"), field))
		case t.Kind == KindPointer && strings.HasSuffix(t.Text, "json.RawMessage"):
			lines = append(lines, fmt.Sprintf("if %s != nil {\nvalue := %s.Clone(*%s)\n%s = &value\n}",
				field, g.standard("slices"), field, field))
		case t.Kind == KindPointer:
			lines = append(lines, fmt.Sprintf("if %s != nil {\nvalue := *%s\n%s = &value\n}", field, field, field))
		case t.Kind == KindAny:
			lines = append(lines, fmt.Sprintf("if value, ok := %s.([]byte); ok {\n%s = %s.Clone(value)\n}",
				field, field, g.standard("bytes")))
		}
	}
	if len(lines) > 0 {
		g.printf("Clone: func(row %s) %s {\n%s\nreturn row\n},\n", row, row, strings.Join(lines, "\n"))
	}
}

// read writes the body of a read: the row as the descriptor's type, whatever struct sqlc has made of it.
func (g *generator) read(p *tablePlan, c *call, db string) string {
	var values []string
	for _, s := range c.slots {
		values = append(values, p.keyValue(s.column))
	}
	called := g.method(c.compiled, db, values)
	own, wanted := g.structOf(c.compiled), g.structOf(p.queries["get"].compiled)
	if own == wanted && !g.options.Go.EmitResultStructPointers {
		return "return " + called + "\n"
	}
	value := "row"
	if g.options.Go.EmitResultStructPointers {
		value = "*row"
	}
	if own != wanted {
		value = fmt.Sprintf("%s(%s)", g.rowType(p), value)
	}
	return fmt.Sprintf("row, err := %s\nreturn %s, err\n", called, value)
}

// write writes the call of a query whose values are those of the row.
func (g *generator) write(p *tablePlan, c *call, steps string) string {
	var values []string
	for i, s := range c.slots {
		value := "row." + g.naming.Name(p.Table.Column(s.column).Name)
		if s.role == roleSteps {
			value = steps
			if t, err := g.goType(c.Params[i].Column); err == nil && t.Text != "uint64" {
				g.use(t.Imports...)
				value = t.Text + "(" + steps + ")"
			}
		}
		values = append(values, value)
	}
	return g.method(c.compiled, "db", values)
}
