package casgen

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// collisions says which names that are about to be generated the package has already: what sqlc makes of
// queries, or another of ours. Descriptors has compared them with the structs of tables and the types of ENUMs.
func (g *generator) collisions() []sqlcheck.Finding {
	taken := g.taken()
	var findings []sqlcheck.Finding
	claim := func(p *tablePlan, name, what string) {
		if other, ok := taken[name]; ok {
			findings = append(findings, p.Table.Source.At(optionRule, p.Table.Span,
				fmt.Sprintf("%s of %s would be called %s, as %s is", what, p.Table.Name, name, other),
				fmt.Sprintf("give the descriptor another name by the option `tables: {%s: {name: ...}}`, or rename the query",
					p.Table.Name)))
			return
		}
		taken[name] = fmt.Sprintf("%s of %s", what, p.Table.Name)
	}
	for _, p := range g.tables {
		claim(p, p.Name+"Table", "the Table")
		claim(p, "Lock"+p.Name, "the locking read")
		if p.base == p && len(p.key) > 1 {
			claim(p, p.keyType(), "the key")
		}
		if p.Upsert {
			claim(p, "Upsert"+p.Name, "the upsert")
		}
		if g.aliased(p) {
			claim(p, p.Name, "the row")
		}
	}
	for _, c := range g.checks {
		claim(c.table, "Queries."+c.Name+"OrConflict", "the method that tells a conflict in "+c.Name)
	}
	return findings
}

// taken are other names that sqlc's files declare, and what they are. Methods are there as Queries.Name.
func (g *generator) taken() map[string]string {
	taken := map[string]string{
		"Schemas": "the list of all schemas", "Queries": "sqlc's type", "DBTX": "sqlc's interface",
		"Querier": "sqlc's interface", "New": "sqlc's function", "Prepare": "sqlc's function",
	}
	for _, s := range g.request.Catalog.Schemas {
		for _, e := range s.Enums {
			for _, v := range e.Vals {
				taken[g.naming.Name(e.Name+"_"+v)] = "a value of " + e.Name
			}
		}
	}
	for i := range g.request.Queries {
		q := &g.request.Queries[i]
		what := "what sqlc makes of query " + q.Name
		taken["Queries."+q.Name], taken[q.Name+"Params"], taken[q.Name+"Row"] = what, what, what
		if g.options.Go.EmitExportedQueries {
			taken[g.constant(q)] = what
		}
	}
	for _, l := range g.locks {
		taken[l.Name+"InTx"] = "the locking read " + l.Name
	}
	return taken
}

// constant is what sqlc calls the text of a query.
func (g *generator) constant(q *compiled) string {
	first, size := utf8.DecodeRuneInString(q.Name)
	change := unicode.ToLower
	if g.options.Go.EmitExportedQueries {
		change = unicode.ToUpper
	}
	return string(change(first)) + q.Name[size:]
}
