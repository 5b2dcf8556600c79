package vet

import (
	"fmt"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// check looks at the schema and at the queries of a block, and returns the schema's catalogue. It is an error
// if Versions names what the schema does not have: a table believed to be checked would not be.
func (b Block) check(report *Report) (*sqlcheck.Catalog, error) {
	b.Schema, b.Queries = plain(b.Schema), plain(b.Queries)
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
	for _, t := range catalog.Tables {
		if t.Version != nil {
			report.Versioned++
		}
	}
	return catalog, nil
}

// byteOrderMark begins a file that some editors have written. No editor shows it, and none counts it.
const byteOrderMark = "\uFEFF"

// plain takes away what is in a file and not in its lines as people see them: a byte order mark, and the carriage
// returns at their ends.
func plain(files []sqlcheck.Source) []sqlcheck.Source {
	all := make([]sqlcheck.Source, len(files))
	for i, src := range files {
		text := strings.ReplaceAll(strings.TrimPrefix(src.Text, byteOrderMark), "\r\n", "\n")
		all[i] = sqlcheck.Source{Name: src.Name, Text: text}
	}
	return all
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
