package casgen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// collisions says which names that are about to be generated the package has already: what sqlc makes of
// queries, or another of ours. Descriptors has compared them with the structs of tables and the types of ENUMs.
func (g *generator) collisions() []sqlcheck.Finding {
	taken := g.taken()
	var findings []sqlcheck.Finding
	mine := false // the name is of a query that was written by hand
	claim := func(p *tablePlan, name, what string) {
		if other, ok := taken[name]; ok {
			mend := p.rename() + ", or rename the query"
			if mine {
				mend = "rename one of the two queries"
			}
			findings = append(findings, p.Table.Source.At(optionRule, p.Table.Span,
				fmt.Sprintf("%s of %s would be called %s, as %s is", what, p.Table.Name, name, other), mend))
			return
		}
		taken[name] = fmt.Sprintf("%s of %s", what, p.Table.Name)
	}
	for _, p := range g.baseFirst() {
		g.claimTypes(p, claim)
	}
	for _, c := range g.checks {
		mine = c.call != c.table.queries["touch"] && c.call != c.table.queries["delete"]
		claim(c.table, "Queries."+c.Name+"OrConflict", "the method that tells a conflict in "+c.Name)
	}
	return findings
}

// baseFirst are the plans with the narrow ones last, whose names are to make way.
func (g *generator) baseFirst() []*tablePlan {
	plans := slices.Clone(g.tables)
	slices.SortStableFunc(plans, func(a, b *tablePlan) int {
		switch {
		case a.Narrow == b.Narrow:
			return 0
		case b.Narrow:
			return -1
		}
		return 1
	})
	return plans
}

// claimTypes claims what is generated for a descriptor.
func (g *generator) claimTypes(p *tablePlan, claim func(p *tablePlan, name, what string)) {
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

// taken are other names that sqlc's files declare, and what they are. Methods are there as Queries.Name.
func (g *generator) taken() map[string]string {
	taken := maps.Clone(declared)
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
			taken[g.naming.constant(q.Name)] = what
		}
	}
	for _, l := range g.locks {
		taken[l.Name+"InTx"] = "the locking read " + l.Name
	}
	return taken
}
