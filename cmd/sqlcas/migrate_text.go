package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/schema"
)

// libraryTable is a table that the library keeps for itself.
type libraryTable struct {
	name   string // as the server knows it
	create string // one statement, with its semicolon
}

// prefix begins the name of every table of the library. --table takes the name without it, or with it.
const prefix = "sqlcas_"

var createsTable = regexp.MustCompile(`(?m)^CREATE TABLE (` + prefix + `\w+)`)

// libraryTables returns all tables, in an order in which they can be created. A statement without a table's name
// is a mistake in package schema, and panics.
func libraryTables() []libraryTable {
	var tables []libraryTable
	for _, stmt := range schema.Sqlcas() {
		name := createsTable.FindStringSubmatch(stmt)
		if name == nil {
			panic(fmt.Sprintf("sqlcas migrate: no CREATE TABLE %s... in %q", prefix, stmt))
		}
		tables = append(tables, libraryTable{name[1], strings.TrimRight(strings.TrimSpace(stmt), ";") + ";"})
	}
	return tables
}

// tableNames are the names that --table takes.
func tableNames(tables []libraryTable) []string {
	var names []string
	for _, t := range tables {
		names = append(names, strings.TrimPrefix(t.name, prefix))
	}
	return names
}

// tablesCalled returns the tables of these names, each once and in the order of their creation; all for no names.
func tablesCalled(names []string) ([]libraryTable, error) {
	all := libraryTables()
	if len(names) == 0 {
		return all, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		short := strings.TrimPrefix(name, prefix)
		if !slices.Contains(tableNames(all), short) {
			return nil, fmt.Errorf("--table %q: the library has no such table: give %s", name, oneOf(tableNames(all)))
		}
		wanted[prefix+short] = true
	}
	return slices.DeleteFunc(all, func(t libraryTable) bool { return !wanted[t.name] }), nil
}

// migration is what a migration tool is to run, and to take back.
type migration struct {
	version string // the time, in UTC, as both tools number the files that they make themselves
	title   string // what the names of its files say after the version
	up      []string
	down    []string
}

func newMigration(tables []libraryTable, now time.Time) migration {
	m := migration{
		version: now.UTC().Format("20060102150405"),
		title:   prefix + strings.Join(tableNames(tables), "_"),
	}
	for _, t := range tables {
		m.up = append(m.up, t.create)
		m.down = append(m.down, "DROP TABLE "+t.name+";")
	}
	slices.Reverse(m.down)
	return m
}

// migrationFile is a file of a migration; kind is all of its name behind the title.
type migrationFile struct {
	kind string
	name string
	text string
}

func (m migration) file(kind, text string) migrationFile {
	const header = "-- Tables of the sqlcas library, version %s. Written by: sqlcas migrate sqlcas\n\n"
	return migrationFile{kind, m.version + "_" + m.title + kind, fmt.Sprintf(header, version()) + text}
}

// plainFormat is no tool's: it goes to standard output.
const plainFormat = "plain"

// migrationFormat is how a migration tool wants its files. The first of formats is the default.
type migrationFormat struct {
	name  string
	files func(migration) []migrationFile
}

var formats = []migrationFormat{
	{plainFormat, func(m migration) []migrationFile {
		return []migrationFile{m.file(".sql", script(m.up))}
	}},
	{"goose", func(m migration) []migrationFile {
		text := "-- +goose Up\n" + gooseScript(m.up) + "\n-- +goose Down\n" + gooseScript(m.down)
		return []migrationFile{m.file(".sql", text)}
	}},
	{"golang-migrate", func(m migration) []migrationFile {
		return []migrationFile{m.file(".up.sql", script(m.up)), m.file(".down.sql", script(m.down))}
	}},
}

func formatNames() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

func formatCalled(name string) (migrationFormat, error) {
	i := slices.IndexFunc(formats, func(f migrationFormat) bool { return f.name == name })
	if i < 0 {
		return migrationFormat{}, fmt.Errorf("--format %q: no such format: give %s", name, oneOf(formatNames()))
	}
	return formats[i], nil
}

// script is statements one after another.
func script(statements []string) string { return strings.Join(statements, "\n\n") + "\n" }

// gooseScript is a script with marks around what goose would cut: it takes any line that ends in a semicolon for
// the end of a statement, be it inside of a literal.
func gooseScript(statements []string) string {
	marked := slices.Clone(statements)
	for i, stmt := range marked {
		if strings.Contains(strings.TrimSuffix(stmt, ";"), ";") {
			marked[i] = "-- +goose StatementBegin\n" + stmt + "\n-- +goose StatementEnd"
		}
	}
	return script(marked)
}

// together is how files look on standard output: one as it is, several each under its name.
func together(files []migrationFile) string {
	if len(files) == 1 {
		return files[0].text
	}
	var texts []string
	for _, f := range files {
		texts = append(texts, "-- "+f.name+"\n"+f.text)
	}
	return strings.Join(texts, "\n")
}

// oneOf lists what there is to choose from.
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
