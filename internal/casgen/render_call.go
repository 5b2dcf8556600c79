package casgen

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// limit is the number of parameters up to which sqlc makes arguments of them, and no struct.
func (g *generator) limit() int {
	if l := g.options.Go.QueryParameterLimit; l != nil {
		return int(*l)
	}
	return 1
}

// method writes the call of a query's method, with values for its parameters.
func (g *generator) method(q *compiled, db string, values []string) string {
	args := []string{"ctx"}
	on := "New(" + db + ")"
	if g.options.Go.EmitMethodsWithDBArgument {
		on, args = "New()", append(args, db)
	}
	return fmt.Sprintf("%s.%s(%s)", on, q.Name, strings.Join(append(args, g.arguments(q, values)...), ", "))
}

// arguments are the values as the method takes them: one by one, or in a struct.
func (g *generator) arguments(q *compiled, values []string) []string {
	if !g.inStruct(q) {
		return values
	}
	var fields []string
	seen := map[string]bool{}
	for i, f := range g.fields(q) {
		if !seen[f] {
			fields = append(fields, f+": "+values[i])
		}
		seen[f] = true
	}
	pointer := ""
	if g.options.Go.EmitParamsStructPointers {
		pointer = "&"
	}
	const inLine, width = 40, 100
	switch text := strings.Join(fields, ", "); {
	case len(text) <= inLine:
		return []string{fmt.Sprintf("%s%sParams{%s}", pointer, q.Name, text)}
	case len(text) <= width:
		return []string{fmt.Sprintf("%s%sParams{\n%s,\n}", pointer, q.Name, text)}
	}
	return []string{fmt.Sprintf("%s%sParams{\n%s,\n}", pointer, q.Name, strings.Join(fields, ",\n"))}
}

// inStruct reports whether sqlc makes a struct of the parameters. With a limit of 0 it does so for a single one.
func (g *generator) inStruct(q *compiled) bool { return len(q.Params) > g.limit() }

// fields are the names of the parameters in the struct. What is written as ? several times for columns of one
// name is told apart by numbers; what is written as one sqlc.arg several times is one field.
func (g *generator) fields(q *compiled) []string {
	var fields []string
	seen := map[string]int{}
	for i, p := range q.Params {
		name := p.Column.Name
		if name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		field := g.naming.Name(name)
		seen[field]++
		if n := seen[field]; n > 1 && !p.Column.IsNamedParam {
			field = fmt.Sprintf("%s_%d", field, n)
		}
		fields = append(fields, field)
	}
	return fields
}

// hiding refuses queries in whose methods something else has the name of the constant with the query's text.
func (g *generator) hiding(s *sqlcheck.Statement) (message, mend string) {
	q := g.request.query(s.Query.Name)
	constant := g.naming.constant(q.Name)
	locals := []string{"q", "ctx"}
	if g.options.Go.EmitMethodsWithDBArgument {
		locals = append(locals, "db")
	}
	if g.inStruct(q) {
		locals = append(locals, "arg")
	}
	if slices.Contains(locals, constant) {
		return fmt.Sprintf("sqlc makes a constant %s of query %s, and its method has something else of that name", constant, q.Name),
			"rename the query"
	}
	if g.inStruct(q) {
		return "", ""
	}
	for i, field := range g.fields(q) {
		name := q.Params[i].Column.Name
		if g.naming.Arg(name) != constant && lowered(field) != constant {
			continue
		}
		mend = fmt.Sprintf("write sqlc.arg(arg_%s) for it, or rename the query", strings.ToLower(name))
		if _, descriptor, _ := verbOf(s.Query.CAS); descriptor != "" {
			mend = mendQueries
		}
		return fmt.Sprintf("sqlc makes a constant %s of query %s and an argument %s of its parameter: the method would run the "+
			"argument as SQL", constant, q.Name, constant), mend
	}
	return "", ""
}

// signature is how a function takes a query's parameters on to its method.
type signature struct {
	declared []string // "arg DeductBalanceParams"
	passed   []string // "arg"
	values   []string // each parameter's value: "arg.Balance"
}

// signatureOf returns a signature whose names are none of those that are in use.
func (g *generator) signatureOf(q *compiled, inUse ...string) (signature, error) {
	var s signature
	if g.inStruct(q) {
		pointer := ""
		if g.options.Go.EmitParamsStructPointers {
			pointer = "*"
		}
		s.declared, s.passed = []string{"arg " + pointer + q.Name + "Params"}, []string{"arg"}
		for _, f := range g.fields(q) {
			s.values = append(s.values, "arg."+f)
		}
		return s, nil
	}
	used := map[string]bool{}
	for _, name := range inUse {
		used[name] = true
	}
	for i, p := range q.Params {
		t, err := g.goType(p.Column)
		if err != nil {
			return s, fmt.Errorf("query %s: %w", q.Name, err)
		}
		g.use(t.Imports...)
		name := g.naming.Arg(p.Column.Name)
		if !token.IsIdentifier(name) {
			name = "arg"
		}
		if used[name] {
			name = fmt.Sprintf("%s%d", name, i+1)
		}
		used[name] = true
		s.declared = append(s.declared, name+" "+t.Text)
		s.passed = append(s.passed, name)
	}
	s.values = s.passed
	return s, nil
}

// goType is what sqlc makes of a parameter or a result.
func (g *generator) goType(c column) (GoType, error) {
	t := &sqlcheck.Table{}
	of := &sqlcheck.Column{Type: c.Type.Name, Length: max(c.Length, 0), Unsigned: c.Unsigned}
	if c.Table != nil {
		name := c.OriginalName
		if name == "" {
			name = c.Name
		}
		if ours := g.catalogue.Table(c.Table.Name); ours != nil {
			if known := ours.Column(name); known != nil {
				same := *known
				t, of = ours, &same
			}
		}
	}
	if of.Name == "" {
		of.Name = c.Name
	}
	if cast, ok := strings.CutSuffix(of.Type, " signed"); ok {
		of.Type = cast
	}
	if cast, ok := strings.CutSuffix(of.Type, " unsigned"); ok {
		of.Type = cast // sqlc makes a signed one of CAST AS UNSIGNED
	}
	of.NotNull = c.NotNull
	made, err := g.naming.typeAs(t, of, g.dbType(t, of))
	made = beside(made)
	if c.IsSlice {
		made.Text = "[]" + made.Text
	}
	return made, err
}

// result is the type of one row of a query, without the pointer that emit_result_struct_pointers makes of a
// struct.
func (g *generator) result(q *compiled) (text string, isStruct bool, err error) {
	if len(q.Columns) == 1 && q.Columns[0].EmbedTable == nil {
		t, err := g.goType(q.Columns[0])
		g.use(t.Imports...)
		return t.Text, false, err
	}
	return g.structOf(q), true, nil
}

// structOf is the struct that sqlc makes of a query's row: a table's, if it has exactly its columns.
func (g *generator) structOf(q *compiled) string {
	if len(q.Columns) > 0 && q.Columns[0].Table != nil {
		if t := g.request.table(q.Columns[0].Table.Name); t != nil && t.isRow(q.Columns) {
			return g.naming.Struct(t.Rel.Name)
		}
	}
	return q.Name + "Row"
}

// isRow reports whether columns are all of the table's, in its order and of its types.
func (t *catalogTable) isRow(columns []column) bool {
	if len(columns) != len(t.Columns) {
		return false
	}
	for i, c := range columns {
		own := t.Columns[i]
		if c.Table == nil || c.Table.Name != t.Rel.Name || c.Name != own.Name || c.EmbedTable != nil ||
			c.NotNull != own.NotNull || c.Type.Name != own.Type.Name || c.Unsigned != own.Unsigned {
			return false
		}
	}
	return true
}
