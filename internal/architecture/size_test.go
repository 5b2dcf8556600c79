package architecture

import (
	"go/ast"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is written by hand stays readable: a file holds one idea, a function fits on a screen.
// Functions of tests may be longer, for their tables.
const (
	maxFile         = 400
	maxFunction     = 60
	maxTestFunction = 120
)

// Ensures that files and functions that are written by hand stay within their limits.
func TestFilesAndFunctionsStayShort(t *testing.T) {
	t.Parallel()
	for _, s := range theTree(t).sources {
		if s.generated {
			continue
		}
		if s.lines > maxFile {
			t.Errorf("%s has %d lines, %d are allowed: it holds more than one idea", s.path, s.lines, maxFile)
		}
		limit := maxFunction
		if s.test {
			limit = maxTestFunction
		}
		for _, d := range s.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && s.span(fn) > limit {
				t.Errorf("%s: %s has %d lines, %d are allowed", s.path, fn.Name, s.span(fn), limit)
			}
		}
	}
}

// vague are names that say nothing of what is inside, so that anything ends up there.
var vague = regexp.MustCompile(`^(utils?|utilities|commons?|helpers?|managers?|misc)$`)

// isVague reports whether a file's or folder's name, or a word of it, says nothing.
func isVague(name string) bool {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	for _, w := range strings.FieldsFunc(strings.ToLower(stem), func(r rune) bool { return r == '_' || r == '-' }) {
		if vague.MatchString(w) {
			return true
		}
	}
	return false
}

// Ensures that no file or folder has a name that invites everything.
func TestNamesSayWhatIsInside(t *testing.T) {
	t.Parallel()
	for _, name := range theTree(t).names {
		if isVague(name) {
			t.Errorf("%s: name it after what it does", name)
		}
	}
	for name, want := range map[string]bool{
		"a/util.go": true, "helpers_test.go": true, "internal/common": true, "lock_manager.go": true,
		"commoner.go": false, "internal/txn": false, "queue.go": false,
	} {
		require.Equal(t, want, isVague(name), name)
	}
}
