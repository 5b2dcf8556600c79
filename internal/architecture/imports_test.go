package architecture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	driver  = "github.com/go-sql-driver/mysql"
	backOff = "github.com/cenkalti/backoff/v4"
	marino  = "github.com/sqlc-dev/marino/..."
	xTools  = "golang.org/x/tools/go/..."
)

// rule says what the non-test files of a package may import besides the standard library. The name
// of a package is its folder; one that ends in "/..." stands for all below. "*" stands for anything.
type rule struct {
	pkg     string
	ours    []string // of this repository
	outside []string // of others
}

// public is what programs outside of this repository can import.
var public = []string{".", "optimistic", "pessimistic", "sqlcastest", "gen/...", "schema"}

// table is who may import whom. A package that has no row is an error, and so is a row that no
// package has. The first row that fits counts.
var table = []rule{
	{pkg: ".", ours: []string{"internal/txn", "internal/settings", "internal/mysqlerr", "internal/operation"}, outside: []string{backOff}},
	{pkg: "optimistic", ours: []string{
		".", "internal/txn", "internal/settings", "internal/mysqlerr", "internal/versioned", "internal/operation",
	}},
	{pkg: "pessimistic", ours: []string{
		".", "internal/txn", "internal/settings", "internal/mysqlerr", "internal/versioned", "internal/operation",
	}},
	{pkg: "internal/versioned", ours: []string{".", "internal/txn", "internal/settings", "internal/mysqlerr", "internal/operation"}},
	{pkg: "internal/operation", ours: []string{"internal/mysqlerr", "gen/sqlcasdb", "schema"}},
	{pkg: "sqlcastest", ours: []string{"internal/witness"}, outside: []string{driver}},
	{pkg: "internal/txn", ours: []string{"internal/witness", "internal/mysqlerr", "internal/settings"}},
	{pkg: "internal/witness"},
	{pkg: "internal/settings", ours: []string{"internal/mysqlerr"}, outside: []string{backOff}},
	{pkg: "internal/mysqlerr", outside: []string{driver}},
	{pkg: "gen/...", ours: []string{"."}},
	{pkg: "schema"},

	// The generator and the checker: no package above compiles the parser.
	{pkg: "internal/sqlcheck", outside: []string{marino}},
	{pkg: "internal/casgen", ours: []string{"internal/sqlcheck"}, outside: []string{marino, "github.com/jinzhu/inflection"}},
	{pkg: "internal/sqlcyaml", ours: []string{"internal/sqlcheck"}, outside: []string{"go.yaml.in/yaml/v3"}},
	{pkg: "internal/vet", ours: []string{"internal/sqlcheck"}, outside: []string{xTools, "golang.org/x/text/width"}},

	// The benchmark: heavy, and for the command alone.
	{pkg: "internal/hotrow", ours: append([]string{"internal/benchdb"}, public...), outside: []string{
		"github.com/HdrHistogram/hdrhistogram-go",
	}},
	{pkg: "internal/benchdb", ours: []string{"schema"}, outside: []string{driver}},
	{pkg: "internal/backoffsim", ours: []string{"internal/settings"}},
	{pkg: "internal/chart", ours: []string{"internal/hotrow", "internal/backoffsim"}, outside: []string{"gonum.org/v1/plot/..."}},
	{pkg: "internal/progress", outside: []string{"github.com/schollz/progressbar/v3", "golang.org/x/term"}},

	{pkg: "cmd/...", ours: append([]string{
		"internal/casgen", "internal/sqlcheck", "internal/sqlcyaml", "internal/vet", "internal/mysqltest", "internal/mysqlerr",
		"internal/hotrow", "internal/benchdb", "internal/backoffsim", "internal/chart", "internal/progress",
	}, public...), outside: []string{"github.com/spf13/cobra"}},

	// For tests: nobody above may import them.
	{pkg: "internal/scriptdb"},
	{pkg: "internal/mysqltest", outside: []string{driver}},
	{pkg: "internal/faultproxy", outside: []string{driver}},
	{pkg: "internal/faulttest"},
	{pkg: "internal/crashtest"},
	{pkg: "internal/linear"},
	{pkg: "internal/oncemodel"},
	{pkg: "internal/architecture"},
	{pkg: "internal/hardtables", ours: []string{".", "internal/hardtables/sku"}},
	{pkg: "internal/hardtables/sku"},
	{pkg: "internal/conformance", ours: []string{"*"}, outside: []string{"*"}},

	{pkg: "internal/cmd/...", ours: append([]string{"internal/mysqltest"}, public...)},

	// Modules of their own, which see what any program sees.
	{pkg: "examples/...", ours: append([]string{"examples/..."}, public...), outside: []string{"*"}},
	{pkg: "bench/...", ours: append([]string{"bench/...", "internal/benchdb", "internal/progress"}, public...), outside: []string{"*"}},
	{pkg: "tools/...", outside: []string{"*"}},
}

// testOnly are modules that only tests may import, in every package.
var testOnly = []string{"github.com/stretchr/testify", "go.uber.org/goleak"}

// graph is what the non-test files of each package import.
type graph map[string][]string

// check returns what of the graph the table does not allow.
func check(g graph, table []rule) []string {
	var wrong []string
	for pkg, imports := range g {
		i := slices.IndexFunc(table, func(r rule) bool { return covers(r.pkg, pkg) })
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("package %s has no row in the table of imports", pkg))
			continue
		}
		for _, imported := range imports {
			if reason := forbidden(table[i], imported); reason != "" {
				wrong = append(wrong, fmt.Sprintf("package %s imports %s: %s", pkg, imported, reason))
			}
		}
	}
	for _, r := range table {
		if !anyCovered(r.pkg, g) {
			wrong = append(wrong, fmt.Sprintf("the table of imports has a row for %s, and there is no such package", r.pkg))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// forbidden says why the rule does not allow the import, or nothing.
func forbidden(r rule, imported string) string {
	folder, isOurs := strings.CutPrefix(imported+"/", module+"/")
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case isOurs:
		folder = strings.TrimSuffix(folder, "/")
		if folder == "" {
			folder = "."
		}
		if slices.ContainsFunc(r.ours, func(p string) bool { return covers(p, folder) }) {
			return ""
		}
		return fmt.Sprintf("of this repository it may import %q", r.ours)
	case !strings.Contains(first, "."):
		return "" // the standard library
	case slices.ContainsFunc(testOnly, func(m string) bool { return covers(m+"/...", imported) }):
		return "only tests may"
	case slices.ContainsFunc(r.outside, func(p string) bool { return covers(p, imported) }):
		return ""
	}
	return fmt.Sprintf("of others it may import %q", r.outside)
}

// covers reports whether the pattern stands for the name.
func covers(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == prefix || strings.HasPrefix(name, prefix+"/")
	}
	return pattern == "*" || pattern == name
}

func anyCovered(pattern string, g graph) bool {
	for pkg := range g {
		if covers(pattern, pkg) {
			return true
		}
	}
	return false
}

// Ensures that every package imports only what the table allows it.
func TestImportsAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	g := graph{}
	for _, s := range theTree(t).sources {
		imports := g[s.pkg] // a package of tests alone is one too
		for _, spec := range s.file.Imports {
			if s.test {
				continue
			}
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if !slices.Contains(imports, name) {
				imports = append(imports, name)
			}
		}
		g[s.pkg] = imports
	}
	require.Contains(t, g, "internal/witness", "packages found")
	for _, wrong := range check(g, table) {
		t.Error(wrong)
	}
}

// Ensures that the check above finds each kind of import that is not allowed, so that its silence
// means something.
func TestTheCheckOfImportsFindsWhatIsForbidden(t *testing.T) {
	t.Parallel()
	allowed := func() graph {
		g := graph{}
		for _, r := range table {
			pkg := strings.ReplaceAll(r.pkg, "...", "some")
			g[pkg] = []string{"context", "database/sql/driver"}
			for _, p := range r.ours {
				if p != "*" {
					g[pkg] = append(g[pkg], strings.TrimSuffix(module+"/"+strings.ReplaceAll(p, "...", "some"), "/."))
				}
			}
			for _, p := range r.outside {
				g[pkg] = append(g[pkg], strings.ReplaceAll(p, "*", "example.com/any"))
			}
		}
		return g
	}
	require.Empty(t, check(allowed(), table), "a graph of all that is allowed")
	for pkg, imported := range map[string]string{
		"internal/txn":         module,
		"internal/witness":     driver,
		"internal/settings":    module + "/internal/txn",
		"internal/mysqlerr":    backOff,
		".":                    module + "/optimistic",
		"optimistic":           module + "/internal/witness",
		"sqlcastest":           module + "/internal/txn",
		"gen/some":             module + "/internal/txn",
		"pessimistic":          module + "/optimistic",
		"internal/versioned":   module + "/internal/witness",
		"internal/operation":   module,
		"schema":               "example.com/any",
		"internal/scriptdb":    driver,
		"internal/mysqltest":   module + "/schema",
		"internal/cmd/some":    module + "/internal/txn",
		"examples/some":        module + "/internal/mysqltest",
		"bench/some":           module + "/internal/witness",
		"tools/some":           module,
		"internal/conformance": "github.com/stretchr/testify/require",
		"internal/faultproxy":  "go.uber.org/goleak",
	} {
		g := allowed()
		g[pkg] = append(g[pkg], imported)
		wrong := check(g, table)
		require.Len(t, wrong, 1, "%s imports %s", pkg, imported)
		require.Contains(t, wrong[0], "package "+pkg+" imports "+imported+": ")
	}

	g := allowed()
	g["lock"] = []string{module}
	delete(g, "schema")
	require.Equal(t, []string{
		"package lock has no row in the table of imports",
		"the table of imports has a row for schema, and there is no such package",
	}, check(g, table))
}
