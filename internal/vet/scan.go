package vet

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// scan looks at the Go code of loaded packages. Files that say that they are generated are left out: what sqlc
// has generated comes of query files, which are checked as such.
type scan struct {
	dir       string
	in        sqlcheck.Input
	loaded    []*packages.Package
	fset      *token.FileSet
	sources   *sources
	flows     *flows
	generated *generated
	uses      uses
	wrappers  wrappers
	own       map[string]bool // what the paths of the loaded packages begin with
	versioned map[string]bool // names of tables, in lower case
	texts     map[string]string

	found   []goFinding
	unknown []Position
	locks   []Position                   // locking reads whose handle is not known
	checked map[place][]sqlcheck.Finding // statements that several calls share count once
	files   map[string]*ast.File         // that were looked at
	count   Report                       // statements and those that were not understood
}

// place is where a literal begins.
type place struct {
	file   string
	offset int
}

// goFinding is a finding in Go code, with the call that it is about: a comment at either may allow it.
type goFinding struct {
	sqlcheck.Finding
	call Position
}

func newScan(dir string, in sqlcheck.Input, loaded []*packages.Package) *scan {
	s := &scan{
		dir: dir, in: in, loaded: loaded, fset: token.NewFileSet(),
		sources: newSources(loaded), generated: newGenerated(), uses: uses{}, wrappers: wrappers{}, own: map[string]bool{}, versioned: map[string]bool{},
		texts: map[string]string{}, checked: map[place][]sqlcheck.Finding{}, files: map[string]*ast.File{},
	}
	if len(loaded) > 0 {
		s.fset = loaded[0].Fset
	}
	for _, p := range loaded {
		first, _, _ := strings.Cut(p.PkgPath, "/")
		s.own[first] = true
	}
	for _, t := range in.Catalog.Tables {
		if t.Version != nil {
			s.versioned[strings.ToLower(t.Name)] = true
		}
	}
	s.flows = newFlows(s.fset, loaded)
	return s
}

// run looks at all files and adds what was found to a report.
func (s *scan) run(report *Report) {
	paths := map[string]bool{}
	type part struct {
		info *types.Info
		root inspector.Cursor
	}
	var parts []part
	for _, p := range s.loaded {
		var files []*ast.File
		for _, f := range p.Syntax {
			// With tests a package is there twice, as itself and as its tests see it.
			name := s.fset.PositionFor(f.Package, false).Filename
			if s.files[name] == nil && !ast.IsGenerated(f) {
				s.files[name] = f
				files = append(files, f)
			}
		}
		if len(files) > 0 {
			paths[cmp.Or(p.ForTest, p.PkgPath)] = true
			root := inspector.New(files).Root()
			usesOf(p.TypesInfo, root, s.uses)
			s.wrappers.note(s, p.TypesInfo, root)
			parts = append(parts, part{p.TypesInfo, root})
		}
	}
	for _, p := range parts { // once all wrappers are known
		for cur := range p.root.Preorder((*ast.CallExpr)(nil)) {
			s.scanCall(p.info, cur)
		}
	}
	report.Packages += len(paths)
	report.Files += len(s.files)
	report.Statements += s.count.Statements
	report.Unparsed = append(report.Unparsed, s.count.Unparsed...)
	report.Unknown = append(report.Unknown, s.unknown...)
	slices.SortFunc(report.Unknown, Position.compare)
	report.Locks = append(report.Locks, s.locks...)
	slices.SortFunc(report.Locks, Position.compare)
	report.Findings = append(report.Findings, s.allow()...)
}

func (s *scan) scanCall(info *types.Info, cur inspector.Cursor) {
	c := cur.Node().(*ast.CallExpr)
	fn := calleeOf(info, c)
	if fn == nil {
		if fn = valueOf(info, c); fn == nil {
			return // a conversion, or one of the language's own functions
		}
		if sql := s.valueCall(info, c, fn); sql != nil {
			s.scanSQL(info, cur, sql)
			return
		}
	}
	if sql := sqlCall(info, c, fn); sql != nil {
		s.scanSQL(info, cur, sql)
		return
	}
	if s.scanPrepared(info, cur, fn) {
		return
	}
	if q := s.generated.query(fn, s.fileOf(fn)); q != nil {
		s.scanGenerated(info, cur, fn, q)
		return
	}
	s.scanOther(info, cur, fn)
}

// scanSQL looks at a call that SQL is given to.
func (s *scan) scanSQL(info *types.Info, cur inspector.Cursor, sql *call) {
	c := cur.Node().(*ast.CallExpr)
	text, ok := s.literalOf(info, sql.query)
	if !ok {
		if !forwards(info, cur, sql.query) {
			s.checkBuilt(info, c, sql.query)
		}
		return
	}
	statements := s.check(c, text, sql.mark)
	if sql.prepares {
		return // scanPrepared sees where it is run
	}
	on := s.handleOfSQL(info, c, sql)
	for _, statement := range statements {
		if statement.Begins() {
			on = handle{kinds: isTx} // the string is a transaction of its own
		}
		s.checkRun(info, cur, sql.fn, statement, on)
	}
}

// scanGenerated looks at a call of a method that sqlc has generated.
func (s *scan) scanGenerated(info *types.Info, cur inspector.Cursor, fn *types.Func, q *sqlcheck.Statement) {
	c := cur.Node().(*ast.CallExpr)
	selector, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	executor := selector.X
	if p := fn.Signature().Params(); p.Len() > 1 && len(c.Args) > 1 && isDBTX(p.At(1).Type()) {
		executor = c.Args[1] // emit_methods_with_db_argument
	}
	s.checkRun(info, cur, fn, q, s.handleOfCall(info, c, executor))
}

func isDBTX(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "DBTX"
}

// text returns a Go file's text; it is empty if the file cannot be read any more.
func (s *scan) text(file string) string {
	if text, ok := s.texts[file]; ok {
		return text
	}
	text, _ := os.ReadFile(file)
	s.texts[file] = string(text)
	return s.texts[file]
}

func (s *scan) fileOf(o types.Object) string {
	return s.fset.PositionFor(o.Pos(), false).Filename
}

// shown is a file's name as findings give it.
func (s *scan) shown(file string) string {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}
