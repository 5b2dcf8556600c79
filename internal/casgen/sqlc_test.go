package casgen_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// sqlcPath builds sqlc, once, and says where it is.
var sqlcPath = sync.OnceValues(func() (string, error) {
	const tools = "-modfile=../../tools/go.mod"
	if out, err := exec.Command("go", "tool", tools, "sqlc", "version").CombinedOutput(); err != nil {
		return string(out), err
	}
	out, err := exec.Command("go", "tool", tools, "-n", "sqlc").Output()
	return strings.TrimSpace(string(out)), err
})

// generate runs the real sqlc over a schema and queries, with those options of gen.go, and returns the folder
// that its package is in. It skips the test where sqlc cannot be built.
func generate(t *testing.T, schema []sqlcheck.Source, queries map[string]string, gen map[string]any) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: sqlc is not built")
	}
	sqlc, err := sqlcPath()
	if err != nil {
		t.Skipf("sqlc cannot run: %v\n%s", err, sqlc)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return name
	}
	var paths []string
	for _, s := range schema {
		paths = append(paths, write(s.Name, s.Text))
	}
	for name, text := range queries {
		write("queries/"+name, text)
	}
	gen["out"] = "db"
	config, err := json.Marshal(map[string]any{"version": "2", "sql": []any{map[string]any{
		"engine": "mysql", "schema": paths, "queries": "queries", "gen": map[string]any{"go": gen},
	}}})
	require.NoError(t, err)
	write("sqlc.json", string(config))
	cmd := exec.Command(sqlc, "generate")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(dir, "db")
}

// field is a struct's field or a function's parameter, as it is written.
type field struct{ Name, Type string }

// goPackage is what a package that sqlc made has.
type goPackage struct {
	structs map[string][]field
	takes   map[string][]field // the methods' arguments but the context
	gives   map[string]string  // the type of their first result
}

func parsePackage(t *testing.T, dir string) goPackage {
	t.Helper()
	p := goPackage{structs: map[string][]field{}, takes: map[string][]field{}, gives: map[string]string{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	set := token.NewFileSet()
	for _, name := range names {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Type.Results != nil {
					p.takes[d.Name.Name] = fieldsOf(t, set, d.Type.Params)[min(1, len(d.Type.Params.List)):]
					p.gives[d.Name.Name] = source(t, set, d.Type.Results.List[0].Type)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						if of, ok := s.Type.(*ast.StructType); ok {
							p.structs[s.Name.Name] = fieldsOf(t, set, of.Fields)
						}
					}
				}
			}
		}
	}
	return p
}

func fieldsOf(t *testing.T, set *token.FileSet, list *ast.FieldList) []field {
	t.Helper()
	var out []field
	for _, f := range list.List {
		for _, name := range f.Names {
			out = append(out, field{name.Name, source(t, set, f.Type)})
		}
	}
	return out
}

func source(t *testing.T, set *token.FileSet, e ast.Expr) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, printer.Fprint(&out, set, e))
	return out.String()
}
