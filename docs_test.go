package sqlcas_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the code of Examples into the documents")

// marked finds a code block that says which Example it is taken from:
//
//	<!-- optimistic/example_update_test.go ExampleUpdate -->
//	```go
//	...
//	```
var marked = regexp.MustCompile("(?s)<!-- (\\S+_test\\.go) (Example\\w*) -->\n```go\n(.*?)```")

// listing finds a list of statements that says which calls send them; see sendings.
//
//	<!-- statements optimistic -->
//	```sql
//	...
//	```
var listing = regexp.MustCompile("(?s)<!-- statements (\\w+) -->\n```sql\n(.*?)```")

// elsewhere are documents whose code other tests hold true: cmd/sqlcas runs the tutorial, internal/sqlcheck
// has its rules look at the examples of docs/rules.md.
var elsewhere = []string{"docs/tutorial.md", "docs/rules.md"}

// documents are the files that people read.
func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	docs = slices.DeleteFunc(docs, func(doc string) bool { return slices.Contains(elsewhere, doc) })
	return append(docs, "README.md", "CONTRIBUTING.md")
}

// Ensures that the code in the documents is that of tested Examples, and that the statements listed in
// them are those that are sent. Run with -update to take them over.
func TestDocumentsShowTestedCode(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, doc := range documents(t) {
		text, err := os.ReadFile(doc)
		require.NoError(t, err)
		fresh := marked.ReplaceAllStringFunc(string(text), func(block string) string {
			seen++
			m := marked.FindStringSubmatch(block)
			return "<!-- " + m[1] + " " + m[2] + " -->\n```go\n" + exampleBody(t, m[1], m[2]) + "```"
		})
		fresh = listing.ReplaceAllStringFunc(fresh, func(block string) string {
			list := listing.FindStringSubmatch(block)[1]
			return "<!-- statements " + list + " -->\n```sql\n" + statementList(t, list) + "```"
		})
		require.Equal(t, strings.Count(string(text), "```go\n"), len(marked.FindAllString(string(text), -1)),
			"%s: every Go block must say which Example it is taken from", doc)
		if *update {
			require.NoError(t, os.WriteFile(doc, []byte(fresh), 0o644))
		} else {
			require.Equal(t, fresh, string(text), "%s is stale: go test . -run TestDocuments -update", doc)
		}
	}
	require.Positive(t, seen)
}

// exampleBody returns what stands between the braces of an Example, without the setup above a line
// that says "// ---", what comes below a second such line, and the output.
func exampleBody(t *testing.T, file, name string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	require.NoError(t, err)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name {
			continue
		}
		body := string(src[fset.Position(fn.Body.Lbrace).Offset+1 : fset.Position(fn.Body.Rbrace).Offset])
		if _, after, ok := strings.Cut(body, "// ---\n"); ok {
			body, _, _ = strings.Cut(after, "// ---\n")
		}
		body, _, _ = strings.Cut(body, "\n\n\t// Output:")
		body, _, _ = strings.Cut(body, "\n\t// Output:")
		return dedent(strings.Trim(strings.TrimRight(body, " \t\n"), "\n"))
	}
	t.Fatalf("%s has no %s", file, name)
	return ""
}

// dedent takes off the indentation of the first line, and makes spaces of the other tabs.
func dedent(code string) string {
	indent := "\n" + code[:len(code)-len(strings.TrimLeft(code, "\t"))]
	return strings.ReplaceAll(strings.TrimPrefix(strings.ReplaceAll("\n"+code, indent, "\n"), "\n"), "\t", "    ") + "\n"
}

// Ensures that every make target, every local file and every heading that the documents name is there.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	targets := regexp.MustCompile("`make ([a-z-]+)`")
	links := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	for _, doc := range documents(t) {
		text, err := os.ReadFile(doc)
		require.NoError(t, err)
		for _, m := range targets.FindAllStringSubmatch(string(text), -1) {
			require.Contains(t, string(makefile), "\n"+m[1]+":", "%s names make %s", doc, m[1])
		}
		for _, m := range links.FindAllStringSubmatch(string(text), -1) {
			target := doc
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(doc), m[1])
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", doc, m[1])
			if m[2] != "" {
				require.Contains(t, anchors(t, target), m[2], "%s links to a heading of %s", doc, target)
			}
		}
	}
}

// anchors returns the headings of a document as links name them.
func anchors(t *testing.T, doc string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(doc)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
		name := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// Ensures that docs/errors.md has every error that a caller can ask for.
func TestTheDocumentOfErrorsHasAll(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("docs/errors.md")
	require.NoError(t, err)
	names := 0
	for _, file := range []string{"errors.go", "errors_row.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			var declared []*ast.Ident
			switch n := n.(type) {
			case *ast.ValueSpec:
				declared = n.Names
			case *ast.TypeSpec:
				declared = []*ast.Ident{n.Name}
			case *ast.FuncDecl:
				return false
			}
			for _, id := range declared {
				if id.IsExported() && strings.Contains(id.Name, "Err") {
					names++
					require.True(t, strings.Contains(string(doc), "`"+id.Name) || strings.Contains(string(doc), "`*"+id.Name),
						"docs/errors.md says nothing of %s", id.Name)
				}
			}
			return true
		})
	}
	require.Greater(t, names, 15, "errors found")
}
