package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that every package opens with a doc comment, generated ones and those of tests alone
// included.
func TestEveryPackageIsDocumented(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, s := range theTree(t).sources {
		documented[s.pkg] = documented[s.pkg] || !s.test && s.file.Doc.Text() != ""
	}
	require.NotEmpty(t, documented)
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment: say what it is for, above its package clause", pkg)
		}
	}
}

// Ensures that every exported name that is written by hand is documented: types, functions, methods
// of exported types, constants and variables, methods of exported interfaces excepted.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	t.Parallel()
	names := 0
	for _, s := range theTree(t).sources {
		if s.test || s.generated {
			continue
		}
		bare, all := undocumented(s.file)
		names += all
		for _, name := range bare {
			t.Errorf("%s: %s has no doc comment", s.path, name)
		}
	}
	require.Greater(t, names, 50, "exported names found")
}

// Ensures that the check above finds what is not documented, and only that.
func TestTheCheckOfDocumentsFindsBareNames(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
type Bare struct{}
// Told is told.
type Told struct{}
func (Told) BareMethod() {}
// ToldMethod is told.
func (*Told) ToldMethod() {}
func (hidden) Method() {}
type hidden struct{}
func BareFunc() {}
func unexported() {}
const BareConst = 1
// The group is told.
const ( A = 1; B = 2 )
var (
	// C is told.
	C = 1
	D = 2 // D is told
	BareVar = 3
	e = 4
)
type Generic[T any] struct{} // is told
func (g *Generic[T]) BareGeneric() {}
`, parser.ParseComments)
	require.NoError(t, err)
	bare, all := undocumented(file)
	require.Equal(t, []string{"Bare", "Told.BareMethod", "BareFunc", "BareConst", "BareVar", "Generic.BareGeneric"}, bare)
	require.Equal(t, 13, all)
}

// undocumented returns the exported names of a file that have no comment, and the number of all.
func undocumented(file *ast.File) (bare []string, all int) {
	note := func(name string, comments ...*ast.CommentGroup) {
		all++
		for _, c := range comments {
			if c.Text() != "" {
				return
			}
		}
		bare = append(bare, name)
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			receiver := receiverOf(d)
			if d.Name.IsExported() && (receiver == "" || ast.IsExported(receiver)) {
				note(strings.TrimPrefix(fmt.Sprintf("%s.%s", receiver, d.Name), "."), d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						note(s.Name.Name, d.Doc, s.Doc, s.Comment)
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							note(name.Name, d.Doc, s.Doc, s.Comment)
						}
					}
				}
			}
		}
	}
	return bare, all
}

// receiverOf returns the name of a method's type, and nothing for a function.
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	expr := d.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return "?"
		}
	}
}
