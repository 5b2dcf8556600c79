package sqlcheck

import (
	"slices"
	"strings"
)

// Rule is one kind of fault. What it says of itself is what `sqlcas explain` and docs/rules.md say.
type Rule struct {
	ID    string // CAS001; an ID never changes its meaning and is never used again
	Title string // a few words, as a headline
	Why   string // what goes wrong, in a paragraph of plain text
	Mend  string // what to do instead, in general
	Bad   string // an example that the rule finds
	Good  string // the same, mended: an example that no rule finds
	Lang  string // of the examples: "sql", or "go"

	schema    func(c *Catalog, report Report)                 // looks at the schema, once
	statement func(in Input, s *Statement, report Report)     // looks at each statement
	file      func(in Input, all []*Statement, report Report) // looks at the statements of each file of sqlc queries
}

// Report takes what a rule found.
type Report func(src Source, span Span, message, mend string)

// Input is what the rules are told besides the statement.
type Input struct {
	Catalog *Catalog
	// Prepared says that sqlc is told to emit_prepared_queries.
	Prepared bool
}

// Rules returns all rules in the order of their IDs.
func Rules() []Rule { return slices.Clone(rules) }

// RuleOf returns the rule of that ID, in any case.
func RuleOf(id string) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return strings.EqualFold(r.ID, id) })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// CheckSchema has the rules look at the schema.
func CheckSchema(c *Catalog) []Finding {
	var found []Finding
	for _, r := range rules {
		if r.schema != nil {
			r.schema(c, r.into(&found))
		}
	}
	return Sort(found)
}

// CheckQueries has the rules look at all statements of one file of sqlc queries.
func CheckQueries(in Input, statements []*Statement) []Finding {
	var found []Finding
	for _, s := range statements {
		found = append(found, Check(in, s)...)
	}
	for _, r := range rules {
		if r.file != nil {
			r.file(in, statements, r.into(&found))
		}
	}
	return Sort(found)
}

// Check has the rules look at one statement. No two goroutines may have it look at the same Statement at a
// time: the parser's own visitors write into its nodes.
func Check(in Input, s *Statement) []Finding {
	var found []Finding
	for _, r := range rules {
		if r.statement != nil {
			r.statement(in, s, r.into(&found))
		}
	}
	return Sort(found)
}

func (r Rule) into(found *[]Finding) Report {
	return func(src Source, span Span, message, mend string) {
		*found = append(*found, src.At(r.ID, span, message, mend))
	}
}

// rules are all rules, in the order of their IDs.
var rules = slices.SortedFunc(slices.Values(slices.Concat(writeRules, lockRules, schemaRules, sqlcRules)),
	func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
