package casgen_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Ensures that the real sqlc compiles the queries of each case to Go that compiles: a row is the table's struct
// where all columns are read, and parameters have the names and types that casgen says they have.
func TestQueries_sqlc(t *testing.T) {
	t.Parallel()
	for _, dir := range queryCases(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			c := readCase(t, dir)
			files, found := casgen.Queries(c.catalog, c.options, "v0.0.0")
			if len(found) > 0 {
				return // refused: TestQueries_golden has what for
			}
			queries := map[string]string{}
			for _, f := range files {
				queries[f.Name] = f.Text
			}
			out := generate(t, schemaOf(t, dir), queries, goOptions(t, dir))
			compile(t, out)
			p := parsePackage(t, out)
			descriptors, _ := casgen.Descriptors(c.catalog, c.options)
			for _, d := range descriptors {
				checkMethods(t, casgen.NewNaming(c.options), d, p)
			}
		})
	}
}

func checkMethods(t *testing.T, n casgen.Naming, d casgen.Descriptor, p goPackage) {
	t.Helper()
	column := func(c *sqlcheck.Column) string { return n.Name(c.Name) }
	parameter := func(c *sqlcheck.Column) string { return n.Name(n.Parameter(d, c)) }
	row := strings.TrimPrefix(p.gives["Get"+d.Name], "*")
	if d.Narrow {
		require.Equal(t, "Get"+d.Name+"Row", row)
	} else {
		require.Equal(t, n.Struct(d.Table.Name), row, "sqlc has the columns in another order")
	}
	require.Equal(t, fieldsFor(t, n, d, d.Read, column), p.structs[row])

	version := []*sqlcheck.Column{d.Table.Version}
	key := fieldsFor(t, n, d, d.Key, parameter)
	swap := fieldsFor(t, n, d, d.Write, parameter)
	swap = append(swap, field{n.Name(n.Steps(d)), fieldsFor(t, n, d, version, column)[0].Type})
	swap = append(append(swap, key...), fieldsFor(t, n, d, version, parameter)...)
	checkArguments(t, swap, "Swap"+d.Name, p)
	checkArguments(t, append(key, fieldsFor(t, n, d, version, parameter)...), "Delete"+d.Name, p)
	checkArguments(t, key, "Get"+d.Name, p)
	if takes := p.takes["Get"+d.Name]; len(key) == 1 && len(p.structs["Get"+d.Name+"Params"]) == 0 {
		require.Equal(t, n.Arg(n.Parameter(d, d.Key[0])), takes[0].Name)
	}
}

func fieldsFor(t *testing.T, n casgen.Naming, d casgen.Descriptor, columns []*sqlcheck.Column, name func(*sqlcheck.Column) string) []field {
	t.Helper()
	var out []field
	for _, c := range columns {
		g, err := n.Type(d.Table, c)
		require.NoError(t, err)
		out = append(out, field{name(c), g.Text})
	}
	return out
}

// checkArguments compares with the fields of a method's struct, or with the types of its arguments where
// query_parameter_limit makes it take no struct.
func checkArguments(t *testing.T, want []field, method string, p goPackage) {
	t.Helper()
	takes := p.takes[method]
	if fields := p.structs[method+"Params"]; len(fields) > 0 {
		require.Equal(t, want, fields)
		return
	}
	require.Len(t, takes, len(want))
	for i := range want {
		require.Equal(t, want[i].Type, takes[i].Type)
	}
}

// goOptions are a case's options of gen.go, as they are.
func goOptions(t *testing.T, dir string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "options.json"))
	require.NoError(t, err)
	var options struct {
		Go map[string]any `json:"go"`
	}
	require.NoError(t, json.Unmarshal(raw, &options))
	return options.Go
}

// compile compiles a package that sqlc made: what it makes may be anything.
func compile(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module db\n\ngo 1.24\n"), 0o644))
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
