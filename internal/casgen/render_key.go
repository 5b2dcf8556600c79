package casgen

import (
	"fmt"
	"strings"
)

// renderKey writes the type of a key of several columns.
func (g *generator) renderKey(p *tablePlan) {
	g.printf("// %s names a row of %s.\ntype %s struct {\n", p.keyType(), p.Table.Name, p.keyType())
	for _, part := range p.key {
		if part.form == keyPlain {
			g.use(part.row.Imports...)
		}
		g.printf("%s %s\n", part.field, part.text)
	}
	g.printf("}\n\n")
}

// keyOf writes a function that makes a key of what a parameter has: from says where each part is. Bytes are
// copied, so that a row without a key does not panic.
func (p *tablePlan) keyOf(parameter string, from func(keyPart) string) string {
	if len(p.key) == 1 {
		part := p.key[0]
		switch part.form {
		case keyArray:
			return fmt.Sprintf("func(%s) (key %s) {\ncopy(key[:], %s)\nreturn key\n}", parameter, p.keyType(), from(part))
		case keyText:
			return fmt.Sprintf("func(%s) string { return string(%s) }", parameter, from(part))
		}
		return fmt.Sprintf("func(%s) %s { return %s }", parameter, p.keyType(), from(part))
	}
	return fmt.Sprintf("func(%s) (key %s) {\n%sreturn key\n}", parameter, p.keyType(), p.fillKey(from))
}

// fillKey writes statements that fill a composite key called key.
func (p *tablePlan) fillKey(from func(keyPart) string) string {
	var b strings.Builder
	for _, part := range p.key {
		switch part.form {
		case keyArray:
			fmt.Fprintf(&b, "copy(key.%s[:], %s)\n", part.field, from(part))
		case keyText:
			fmt.Fprintf(&b, "key.%s = string(%s)\n", part.field, from(part))
		default:
			fmt.Fprintf(&b, "key.%s = %s\n", part.field, from(part))
		}
	}
	return b.String()
}

// keyValue writes what a query takes for a column of a key called key.
func (p *tablePlan) keyValue(name string) string {
	for _, part := range p.key {
		if !strings.EqualFold(part.column.Name, name) {
			continue
		}
		value := "key"
		if len(p.key) > 1 {
			value += "." + part.field
		}
		switch part.form {
		case keyArray:
			return value + "[:]"
		case keyText:
			return "[]byte(" + value + ")"
		}
		return value
	}
	return ""
}

// compare writes a function that orders keys.
func (g *generator) compare(p *tablePlan) string {
	key := p.keyType()
	if len(p.key) == 1 {
		if part := p.key[0]; part.ordered() {
			return fmt.Sprintf("%s.Compare[%s]", g.standard("cmp"), key)
		}
		return fmt.Sprintf("func(a, b %s) int { return %s }", key, g.comparePart(p.key[0], "a", "b"))
	}
	var parts []string
	for _, part := range p.key {
		parts = append(parts, g.comparePart(part, "a."+part.field, "b."+part.field)+",")
	}
	return fmt.Sprintf("func(a, b %s) int {\nreturn %s.Or(\n%s\n)\n}", key, g.standard("cmp"), strings.Join(parts, "\n"))
}

// ordered reports whether Go's < is defined for a part.
func (part keyPart) ordered() bool {
	switch part.row.Kind {
	case KindInteger, KindString, KindFloat, KindEnum:
		return true
	}
	return part.form == keyText
}

// comparePart writes the comparison of two values. Of an override's type nothing is known but that == works
// (it may be an array, a struct, a string), so that it is compared by what fmt writes of it, its String method
// if it has one: slower, and in no particular order, but in the same one in every process. (%#v would write
// addresses of what it points to.)
func (g *generator) comparePart(part keyPart, a, b string) string {
	switch {
	case part.form == keyArray:
		return fmt.Sprintf("%s.Compare(%s[:], %s[:])", g.standard("bytes"), a, b)
	case part.ordered():
		return fmt.Sprintf("%s.Compare(%s, %s)", g.standard("cmp"), a, b)
	case part.row.Kind == KindTime:
		return fmt.Sprintf("%s.Compare(%s)", a, b)
	}
	return fmt.Sprintf("%s.Compare(%s.Sprint(%s), fmt.Sprint(%s))", g.standard("cmp"), g.standard("fmt"), a, b)
}
