package main

import (
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/schema"
)

// gooseMark is an annotation as goose documents it: on a line of its own, from the first column, in any case.
var gooseMark = regexp.MustCompile(`(?i)^-- \+goose (.*)$`)

// gooseSplit cuts a file into the statements that goose would run, by its documented rules: a statement ends with
// the line that ends in a semicolon, or with the block between StatementBegin and StatementEnd.
func gooseSplit(text string) (up, down []string, err error) {
	parts := map[string][]string{}
	var part, current string
	var block bool
	end := func() {
		parts[part], current = append(parts[part], strings.TrimSpace(current)), ""
	}
	for line := range strings.Lines(text) {
		mark := gooseMark.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case mark != nil:
			kind := strings.ToLower(mark[1])
			ending := block && kind == "statementend"
			switch {
			case strings.TrimSpace(current) != "" && !ending:
				return nil, nil, fmt.Errorf("%s inside of a statement: %q", mark[0], current)
			case ending:
				end()
				block = false
			case kind == "statementbegin" && part != "":
				block = true
			case kind == "up" && part == "", kind == "down" && part == "up":
				part = kind
			default:
				return nil, nil, fmt.Errorf("%s does not belong here", mark[0])
			}
		case !block && strings.TrimSpace(current) == "" && isBlank(line):
		case part == "":
			return nil, nil, fmt.Errorf("%q comes before Up", line)
		default:
			current += line
			code, _, _ := strings.Cut(line, "--")
			if !block && strings.HasSuffix(strings.TrimSpace(code), ";") {
				end()
			}
		}
	}
	if strings.TrimSpace(current) != "" || block {
		return nil, nil, fmt.Errorf("unfinished: %q", current)
	}
	return parts["up"], parts["down"], nil
}

// isBlank reports whether there is nothing to run in a line.
func isBlank(line string) bool { return strings.HasPrefix(line, "--") || strings.TrimSpace(line) == "" }

// semicolons cuts a text as simple tools do that know of nothing but semicolons.
func semicolons(text string) []string {
	parts := strings.SplitAfter(text, ";")
	return parts[:len(parts)-1]
}

// runAll runs statements one by one, on a connection that takes no more than one a call.
func runAll(t *testing.T, db *sql.DB, statements []string) error {
	t.Helper()
	require.NotEmpty(t, statements)
	for _, stmt := range statements {
		if _, err := db.ExecContext(t.Context(), stmt); err != nil {
			return fmt.Errorf("%w in %s", err, stmt)
		}
	}
	return nil
}

// shown returns all tables of the database, as the server would create them.
func shown(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SHOW TABLES")
	require.NoError(t, err)
	defer rows.Close()
	tables := map[string]string{}
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables[name] = ""
	}
	require.NoError(t, rows.Err())
	for name := range tables {
		var create string
		require.NoError(t, db.QueryRowContext(t.Context(), "SHOW CREATE TABLE "+name).Scan(&name, &create))
		tables[name] = create
	}
	return tables
}

// ways are how the text of each format is run: what makes the tables, and what drops them.
func ways(t *testing.T) map[string][2][]string {
	t.Helper()
	all := libraryTables()
	plain, _, err := migrated()
	require.NoError(t, err)
	require.Len(t, semicolons(plain), len(all), "a semicolon inside of a comment or a literal")

	goose, _, err := migrated("--format", "goose")
	require.NoError(t, err)
	up, down, err := gooseSplit(goose)
	require.NoError(t, err)
	require.Len(t, up, len(all))
	require.Len(t, down, len(all))

	both, _, err := migrated("--format", "golang-migrate")
	require.NoError(t, err)
	statements := semicolons(both)
	require.Len(t, statements, 2*len(all))

	files := formats[2].files(newMigration(all, written))
	return map[string][2][]string{
		"plain":                  {semicolons(plain), down},
		"goose":                  {up, down},
		"golang-migrate printed": {statements[:len(all)], statements[len(all):]},
		"golang-migrate files":   {{files[0].text}, {files[1].text}}, // as a whole, as the tool runs it
	}
}

// Ensures that what is printed makes the very tables of package schema, on every server, that a second run is an
// error and not a table of an older shape kept, and that down leaves nothing, so that up can be run again.
func TestMigratedTablesAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		want := shown(t, s.DB(t, schema.Sqlcas()...))
		require.Len(t, want, len(libraryTables()))
		for way, run := range ways(t) {
			db := s.DB(t)
			require.NoError(t, runAll(t, db, run[0]), way)
			require.Equal(t, want, shown(t, db), way)

			var exists *mysql.MySQLError
			require.True(t, errors.As(runAll(t, db, run[0]), &exists), way)
			require.EqualValues(t, 1050, exists.Number, way)

			require.NoError(t, runAll(t, db, run[1]), way)
			require.Empty(t, shown(t, db), way)
			require.NoError(t, runAll(t, db, run[0]), way)
		}
	})
}

// Ensures that goose does not cut a statement in two that has a line which ends in a semicolon, and that one
// without has no marks, which are noise.
func TestGooseDoesNotCutStatements(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		literal := "CREATE TABLE sqlcas_a (\n  id INT COMMENT 'one;\ntwo'\n);"
		comment := "CREATE TABLE sqlcas_b (\n  -- one;\n  id INT /* two;\n */\n);"
		simple := "CREATE TABLE sqlcas_c (\n  id INT\n);"
		m := newMigration([]libraryTable{{"sqlcas_a", literal}, {"sqlcas_b", comment}, {"sqlcas_c", simple}}, written)
		text := formats[1].files(m)[0].text
		require.Equal(t, 2, strings.Count(text, "StatementBegin"))
		up, down, err := gooseSplit(text)
		require.NoError(t, err)
		require.Equal(t, m.up, up)
		require.Equal(t, m.down, down)
		db := s.DB(t)
		require.NoError(t, runAll(t, db, up))
		require.Len(t, shown(t, db), 3)
		require.NoError(t, runAll(t, db, down))
	})
}
