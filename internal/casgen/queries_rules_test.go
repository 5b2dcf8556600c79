package casgen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Ensures that no rule objects to a query that is generated, and that each is marked with what it is and for which
// descriptor: the plugin finds them by that.
func TestQueries_rules(t *testing.T) {
	t.Parallel()
	for _, dir := range queryCases(t) {
		c := readCase(t, dir)
		files, _ := casgen.Queries(c.catalog, c.options, "v0.0.0")
		for _, f := range files {
			statements := sqlcheck.Queries(sqlcheck.Source{Name: f.Name, Text: f.Text})
			in := sqlcheck.Input{Catalog: c.catalog, Prepared: true}
			require.Empty(t, sqlcheck.CheckQueries(in, statements), dir)
			for _, s := range statements {
				require.NoError(t, s.Unparsed)
				require.True(t, s.Query.Marked, s.Query.Name)
				words := strings.Fields(s.Query.CAS)
				require.Contains(t, s.Query.Name, words[len(words)-1])
			}
		}
	}
}

// Ensures that what a schema rule finds too is found once: the findings are the same, and Sort makes one of them.
func TestDescriptors_rulesOnce(t *testing.T) {
	t.Parallel()
	c := readCase(t, "testdata/queries/tables_that_cannot_be")
	_, found := casgen.Descriptors(c.catalog, c.options)
	schema := sqlcheck.CheckSchema(c.catalog)
	byRule := 0
	for _, f := range found {
		if f.Rule != "option" {
			byRule++
			require.Contains(t, schema, f)
		}
	}
	require.NotZero(t, byRule)
}
