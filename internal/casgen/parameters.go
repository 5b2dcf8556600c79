package casgen

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Parameter returns the name under which a column is a parameter of a descriptor's queries, always lower case.
// It is the column's own name where that does: Name of it then is the name of the row's field too. It is
// another where sqlc would make a name of it that does not compile.
func (n Naming) Parameter(d Descriptor, c *sqlcheck.Column) string {
	name := strings.Map(wordRune, strings.ToLower(c.Name))
	if name == "" || unicode.IsDigit([]rune(name)[0]) || strings.Trim(name, "_") == "" {
		name = "c_" + name
	}
	if n.bare(d, c) && (n.isTaken(d, n.Arg(name)) || n.isTaken(d, lowered(n.Name(name)))) {
		name = "arg_" + name
	}
	return name
}

// isTaken reports whether an argument's name is something else in the methods of a descriptor: a local, or the
// constant that has the query's text, in whose place the argument would be run.
func (n Naming) isTaken(d Descriptor, arg string) bool {
	return slices.Contains(locals, arg) || slices.ContainsFunc(QueryNames(d), func(query string) bool {
		return n.constant(query) == arg
	})
}

// Steps returns the name of the parameter by which a descriptor's swap moves the version: steps, or another
// one if a column's field is called so.
func (n Naming) Steps(d Descriptor) string {
	taken := map[string]bool{}
	for _, c := range d.Table.Columns {
		taken[n.Name(n.Parameter(d, c))] = true
	}
	name := "steps"
	for i := 1; taken[n.Name(name)]; i++ {
		name = fmt.Sprintf("version_steps_%d", i)
	}
	return name
}

// lowered is what sqlc makes of a field's name for an argument.
func lowered(name string) string {
	if name == "" {
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// bare reports whether sqlc may make a column's parameter an argument of a method instead of a struct's field.
func (n Naming) bare(d Descriptor, c *sqlcheck.Column) bool {
	limit := int32(1)
	if n.options.QueryParameterLimit != nil {
		limit = *n.options.QueryParameterLimit
	}
	return limit > 1 || limit == 1 && len(d.Key) == 1 && d.Key[0] == c
}

// locals are what the methods that sqlc generates call something else: an argument of that name does not
// compile. sqlc itself sees to packages' names and to q.
var locals = []string{"arg", "ctx", "db", "err", "i", "items", "nil", "result", "row", "rows"}
