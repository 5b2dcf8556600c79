package casgen

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Sources reads the SQL files that a block's paths stand for, as sqlcyaml.Sources does.
type Sources func(paths []string) ([]sqlcheck.Source, error)

// Generate makes the Go of one request of sqlc: Tables, locking reads that take a transaction, and writes that
// tell a conflict by its type. It reads the schema and the query files again, since the request has neither
// keys nor parsed SQL. Faults in them are a *Refusal; then, and on every other error, there are no files.
func Generate(raw []byte, sources Sources, version string) ([]File, error) {
	r, err := readRequest(raw)
	if err != nil {
		return nil, err
	}
	o, err := ReadOptions(r.PluginOptions)
	if err != nil {
		return nil, err
	}
	if path.Clean(o.Go.Out) != path.Clean(r.Settings.Codegen.Out) {
		return nil, fmt.Errorf("the plugin's out is %q and gen.go's is %q: give both the same folder, for what "+
			"sqlcas generates belongs to sqlc's package", r.Settings.Codegen.Out, o.Go.Out)
	}
	schema, err := sources(r.Settings.Schema)
	if err != nil {
		return nil, unread("schema", err)
	}
	files, err := sources(r.Settings.Queries)
	if err != nil {
		return nil, unread("queries", err)
	}

	g := &generator{request: &r, options: o, naming: NewNaming(o), version: version}
	findings := g.readSchema(schema)
	sound := len(findings) == 0
	queries, found := g.readQueries(files)
	findings = append(findings, found...)
	if sound { // queries of a table that has no descriptor would be blamed for it
		findings = append(findings, g.match(queries, found)...)
	}
	if err := refused(findings); err != nil {
		return nil, err
	}
	text, err := g.render()
	if err != nil {
		return nil, err
	}
	return []File{{Name: o.Output, Text: text}}, nil
}

// unread says what most likely keeps files from being read. A plugin is told their paths as they are written, and
// not where the configuration is.
func unread(what string, err error) error {
	return fmt.Errorf("%s: %w (run sqlc in the folder of its configuration: the paths in it start there)", what, err)
}

// generator is one run of Generate.
type generator struct {
	request   *request
	options   Options
	naming    Naming
	version   string
	catalogue *sqlcheck.Catalog

	tables []*tablePlan
	checks []*checkedWrite
	locks  []*lockedRead

	imports map[Import]bool
	body    strings.Builder
}

// readSchema makes the catalogue and the descriptors, and says what is wrong with the schema.
func (g *generator) readSchema(sources []sqlcheck.Source) []sqlcheck.Finding {
	g.catalogue = sqlcheck.ReadSchema(sources, g.options.Versions())
	descriptors, found := Descriptors(g.catalogue, g.options)
	findings := allowed(sources, append(sqlcheck.CheckSchema(g.catalogue), g.catalogue.Unparsed...))
	findings = slices.DeleteFunc(findings, leftToVet)
	findings = append(findings, found...) // there is no descriptor without what they ask for, whoever allows it
	findings = append(findings, g.compareCatalogues()...)
	if len(findings) == 0 {
		g.plan(descriptors)
	}
	return findings
}

// allowed takes away what comments in the schema allow. A finding without a file, such as one about an option,
// stays.
func allowed(sources []sqlcheck.Source, found []sqlcheck.Finding) []sqlcheck.Finding {
	byFile := map[string][]sqlcheck.Finding{}
	for _, f := range found {
		byFile[f.File] = append(byFile[f.File], f)
	}
	var findings []sqlcheck.Finding
	for _, src := range sources {
		findings = append(findings, sqlcheck.AllowLines(src, byFile[src.Name])...)
		delete(byFile, src.Name)
	}
	for _, rest := range byFile {
		findings = append(findings, rest...)
	}
	return findings
}

// compareCatalogues refuses versioned tables that sqlc has understood otherwise: the Go would not fit.
func (g *generator) compareCatalogues() []sqlcheck.Finding {
	var findings []sqlcheck.Finding
	for _, t := range g.catalogue.Tables {
		if t.Version == nil {
			continue
		}
		theirs := g.request.table(t.Name)
		if theirs == nil {
			findings = append(findings, t.Source.At(ruleSchema, t.Span,
				fmt.Sprintf("sqlc has no table %s, which its schema files create", t.Name),
				"write the table's name in the same case everywhere, without a database before it"))
			continue
		}
		var ours, names []string
		for _, c := range inSqlcOrder(t) {
			ours = append(ours, c.Name)
		}
		for _, c := range theirs.Columns {
			names = append(names, c.Name)
		}
		if !sameNames(ours, names) {
			findings = append(findings, t.Source.At(ruleSchema, t.Span,
				fmt.Sprintf("sqlc sees the columns %s in %s, and sqlcas %s", enumerate(names), t.Name, enumerate(ours)),
				"write the change that they differ in as one plain ALTER TABLE, or into CREATE TABLE"))
		}
	}
	return findings
}

// leftToVet reports whether a finding says nothing against the Go that is generated: it is about a statement that
// would go around the version, or lock too much. Who adds a version to a table that has been written
// without one for long needs the generated code in order to mend such statements.
func leftToVet(f sqlcheck.Finding) bool {
	return slices.Contains([]string{
		"CAS001", "CAS002", "CAS007", "CAS008", "CAS009", "CAS011", "CAS012", "CAS014", "CAS016", "CAS018", "CAS029",
	}, f.Rule)
}

// readQueries reads all query files, and says what the rules find in them.
func (g *generator) readQueries(files []sqlcheck.Source) ([]*sqlcheck.Statement, []sqlcheck.Finding) {
	in := sqlcheck.Input{Catalog: g.catalogue, Prepared: g.options.Go.EmitPreparedQueries}
	var all []*sqlcheck.Statement
	var findings []sqlcheck.Finding
	for _, src := range files {
		statements := sqlcheck.Queries(src)
		found := sqlcheck.Allow(src, statements, sqlcheck.CheckQueries(in, statements))
		findings = append(findings, slices.DeleteFunc(found, leftToVet)...)
		all = append(all, statements...)
	}
	return all, findings
}

// enumerate writes names as a sentence has them.
func enumerate(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// sameNames compares columns in their order.
func sameNames(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !strings.EqualFold(a[i], b[i]) {
			return false
		}
	}
	return true
}
