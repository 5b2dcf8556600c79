package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/sqlcas/sqlcas"

// source is one Go file of the repository, of whatever operating system it is for.
type source struct {
	path      string // from the root, with slashes
	pkg       string // folder from the root; "." for the root itself
	test      bool
	generated bool
	lines     int
	file      *ast.File
	fset      *token.FileSet
}

// span returns how many lines a node takes.
func (s source) span(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

// tree is everything there is to look at: the Go files of this module and of those nested in it,
// and the names of all files and folders.
type tree struct {
	sources []source
	names   []string
}

var readTree = sync.OnceValues(func() (tree, error) {
	root, err := findRoot()
	if err != nil {
		return tree{}, err
	}
	var t tree
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		t.names = append(t.names, rel)
		if d.IsDir() || !strings.HasSuffix(rel, ".go") {
			return nil
		}
		s, err := readSource(name, rel)
		t.sources = append(t.sources, s)
		return err
	})
	return t, err
})

func readSource(name, rel string) (source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, rel, text, parser.ParseComments)
	if err != nil {
		return source{}, err
	}
	return source{
		path: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"), generated: ast.IsGenerated(file),
		lines: strings.Count(string(text), "\n"), file: file, fset: fset,
	}, nil
}

// findRoot returns the folder with the module's go.mod, above the one that tests run in.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		text, readErr := os.ReadFile(filepath.Join(dir, "go.mod"))
		if readErr == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", readErr
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

func theTree(t *testing.T) tree {
	t.Helper()
	all, err := readTree()
	require.NoError(t, err)
	require.Greater(t, len(all.sources), 30, "files found")
	return all
}
