package vet

import (
	"fmt"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// check looks at the schema and at the queries of a block, and returns the schema's catalogue. It is an error
// if Versions names what the schema does not have: a table believed to be checked would not be.
func (b Block) check(report *Report) (*sqlcheck.Catalog, error) {
	catalog := sqlcheck.ReadSchema(b.Schema, b.Versions)
	for _, table := range sortedKeys(b.Versions) {
		if t := catalog.Table(table); t == nil {
			return nil, fmt.Errorf("%s is to have a version, and the schema has no such table", table)
		} else if t.Column(b.Versions[table]) == nil {
			return nil, fmt.Errorf("%s.%s is to be a version, and the table has no such column", table, b.Versions[table])
		}
	}
	report.Findings = append(report.Findings, allowed(b.Schema, append(sqlcheck.CheckSchema(catalog), catalog.Unparsed...))...)

	in := sqlcheck.Input{Catalog: catalog, Prepared: b.Prepared}
	for _, src := range b.Queries {
		statements := sqlcheck.Queries(src)
		report.count(statements)
		found := sqlcheck.CheckQueries(in, statements)
		report.Findings = append(report.Findings, sqlcheck.Allow(src, statements, found)...)
	}
	report.Files += len(b.Schema) + len(b.Queries)
	return catalog, nil
}

// allowed lets each schema file take away what its comments allow. Every file is asked, since one without
// findings may have a comment that allows nothing.
func allowed(files []sqlcheck.Source, findings []sqlcheck.Finding) []sqlcheck.Finding {
	of := map[string][]sqlcheck.Finding{}
	for _, f := range findings {
		of[f.File] = append(of[f.File], f)
	}
	var left []sqlcheck.Finding
	for _, src := range files {
		left = append(left, sqlcheck.AllowLines(src, of[src.Name])...)
	}
	return left
}

func (r *Report) count(statements []*sqlcheck.Statement) {
	r.Statements += len(statements)
	for _, s := range statements {
		if s.Unparsed != nil {
			r.Unparsed++
		}
	}
}
