package casgen_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// queryCase is one folder of testdata/queries.
type queryCase struct {
	dir     string
	options casgen.Options
	catalog *sqlcheck.Catalog
}

func queryCases(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("testdata/queries/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	return dirs
}

func readCase(t *testing.T, dir string) queryCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "options.json"))
	require.NoError(t, err)
	o, err := casgen.ReadOptions(raw)
	require.NoError(t, err)
	return queryCase{dir: dir, options: o, catalog: sqlcheck.ReadSchema(schemaOf(t, dir), o.Versions())}
}

// schemaOf reads a case's schema files in the order of their names.
func schemaOf(t *testing.T, dir string) []sqlcheck.Source {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	var sources []sqlcheck.Source
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		sources = append(sources, sqlcheck.Source{Name: "schema/" + filepath.Base(name), Text: string(text)})
	}
	return sources
}

// Ensures that the queries of each case are what they were, to the byte, and that what cannot be generated is
// refused with a place, a reason and a mend, and no files.
func TestQueries_golden(t *testing.T) {
	t.Parallel()
	for _, dir := range queryCases(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			c := readCase(t, dir)
			require.Empty(t, c.catalog.Unparsed)
			files, found := casgen.Queries(c.catalog, c.options, "v0.0.0")
			if len(found) > 0 {
				require.Empty(t, files)
				files = []casgen.File{{Name: "want.error", Text: findingsText(found)}}
			}
			compareFiles(t, dir, files)
			again, foundAgain := casgen.Queries(c.catalog, c.options, "v0.0.0")
			require.Equal(t, found, foundAgain)
			if len(found) == 0 {
				require.Equal(t, files, again)
			}
		})
	}
}

// findingsText is one finding a paragraph, as `sqlcas queries` may print it. Of what a rule says too it has only
// the place, for the words are the rule's.
func findingsText(found []sqlcheck.Finding) string {
	var out strings.Builder
	for _, f := range found {
		out.WriteString(place(f) + ": " + f.Rule)
		if f.Rule == "option" {
			out.WriteString(" " + f.Message + "\n    " + f.Mend)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// compareFiles compares with want/*.sql and want.error, or writes them.
func compareFiles(t *testing.T, dir string, files []casgen.File) {
	t.Helper()
	wanted, err := filepath.Glob(filepath.Join(dir, "want*"))
	require.NoError(t, err)
	if *update {
		for _, name := range wanted {
			require.NoError(t, os.RemoveAll(name))
		}
		for _, f := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(goldenName(dir, f)), 0o755))
			require.NoError(t, os.WriteFile(goldenName(dir, f), []byte(f.Text), 0o644))
		}
		return
	}
	var names []string
	for _, f := range files {
		want, err := os.ReadFile(goldenName(dir, f))
		require.NoError(t, err, "run go test -update and look at what it writes")
		require.Equal(t, string(want), f.Text, goldenName(dir, f))
		names = append(names, goldenName(dir, f))
	}
	slices.Sort(names)
	left, err := filepath.Glob(filepath.Join(dir, "want", "*"))
	require.NoError(t, err)
	refused, err := filepath.Glob(filepath.Join(dir, "want.error"))
	require.NoError(t, err)
	require.Equal(t, names, append(left, refused...), "there are golden files that nothing writes")
}

func goldenName(dir string, f casgen.File) string {
	if f.Name == "want.error" {
		return filepath.Join(dir, f.Name)
	}
	return filepath.Join(dir, "want", f.Name)
}

// Ensures that QueryNames are the names of the queries that Queries writes: callers look with it for queries that
// are there already.
func TestQueryNames(t *testing.T) {
	t.Parallel()
	for _, dir := range queryCases(t) {
		c := readCase(t, dir)
		files, _ := casgen.Queries(c.catalog, c.options, "v0.0.0")
		descriptors, _ := casgen.Descriptors(c.catalog, c.options)
		var written, named []string
		for _, f := range files {
			for line := range strings.Lines(f.Text) {
				if name, ok := strings.CutPrefix(line, "-- name: "); ok {
					written = append(written, strings.Fields(name)[0])
				}
			}
		}
		if len(files) == 0 {
			continue
		}
		for _, d := range descriptors {
			named = append(named, casgen.QueryNames(d)...)
		}
		require.Equal(t, written, named, dir)
	}
}
