package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// hole stands in a text for what only the running program knows.
const hole = " ? "

var unknownText = []string{hole}

// mostTexts is how many texts an expression is followed to: a variable may get one in each branch.
const mostTexts = 16

// fragments puts together the texts that an expression may be, as far as they are constant.
type fragments struct {
	scan *scan
	info *types.Info
	at   token.Pos                 // where the text is used: what is assigned later does not matter
	now  map[types.Object][]string // what the variables that are being read are so far
}

// fragmentsOf returns the texts that an expression may be, with holes.
func (s *scan) fragmentsOf(info *types.Info, expr ast.Expr) []string {
	f := fragments{scan: s, info: info, at: expr.Pos(), now: map[types.Object][]string{}}
	return f.of(expr)
}

func (f *fragments) of(expr ast.Expr) []string {
	expr = ast.Unparen(expr)
	if l, ok := f.scan.literalOf(f.info, expr); ok {
		return []string{l.value}
	}
	switch e := expr.(type) {
	case *ast.BinaryExpr:
		return cross(f.of(e.X), f.of(e.Y))
	case *ast.Ident:
		if v, ok := f.info.ObjectOf(e).(*types.Var); ok {
			return f.variable(v)
		}
	case *ast.CallExpr:
		return f.call(e)
	}
	return unknownText
}

// cross returns each text of one list with each of another behind it.
func cross(left, right []string) []string {
	var all []string
	for _, l := range left {
		for _, r := range right {
			if len(all) < mostTexts {
				all = append(all, l+r)
			}
		}
	}
	return all
}

// variable reads what a variable is assigned before the text is used: = begins anew, += goes on. What is assigned
// on the way to the use takes the place of all before; what is assigned in a branch is one more possibility.
func (f *fragments) variable(v *types.Var) []string {
	if texts, ok := f.now[v]; ok {
		return texts
	}
	f.now[v] = unknownText
	defer delete(f.now, v)
	first, ok := f.scan.sources.local[v]
	if ok && first.info == f.info {
		f.now[v] = f.of(first.expr)
	}
	var others []string
	for use := range f.before(v) {
		assign, ok := use.Parent().Node().(*ast.AssignStmt)
		kind, i := use.ParentEdge()
		if !ok || kind != edge.AssignStmt_Lhs || i >= len(assign.Rhs) || assign.Rhs[i] == first.expr {
			continue
		}
		texts := f.of(assign.Rhs[i])
		switch block := use.Parent().Parent().Node(); {
		case assign.Tok == token.ADD_ASSIGN:
			texts = cross(f.now[v], texts)
		case block.Pos() <= f.at && f.at < block.End():
			others = nil
		default:
			others = append(others, f.now[v]...)
		}
		f.now[v] = texts
	}
	all := append(others, f.now[v]...)
	return all[:min(len(all), mostTexts)]
}

// before goes through the uses of a variable up to where the text is used; through all of them if any function
// may be the one that assigns.
func (f *fragments) before(v *types.Var) func(func(inspector.Cursor) bool) {
	return func(yield func(inspector.Cursor) bool) {
		global := v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
		for _, use := range f.scan.uses[v] {
			if (global || use.Node().Pos() < f.at) && !yield(use) {
				return
			}
		}
	}
}

// call reads fmt.Sprintf, String of a strings.Builder, and what hands on a text with some of it changed, such as
// strings.TrimSuffix, sqlx.In and db.Rebind.
func (f *fragments) call(c *ast.CallExpr) []string {
	fn := calleeOf(f.info, c)
	if fn == nil || fn.Pkg() == nil {
		return unknownText
	}
	switch fn.FullName() {
	case "fmt.Sprintf":
		return f.format(c.Args)
	case "(*strings.Builder).String", "(*bytes.Buffer).String":
		return f.built(c)
	}
	if path := fn.Pkg().Path(); path == "strings" || path == sqlxPath {
		if at := firstString(fn.Signature()); at >= 0 && at < len(c.Args) {
			return f.of(c.Args[at])
		}
	}
	return unknownText
}

// built reads what is written into a builder before the text is used.
func (f *fragments) built(c *ast.CallExpr) []string {
	selector, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return unknownText
	}
	id, ok := ast.Unparen(selector.X).(*ast.Ident)
	if !ok {
		return unknownText
	}
	v, ok := f.info.ObjectOf(id).(*types.Var)
	if !ok || f.now[v] != nil {
		return unknownText
	}
	f.now[v] = unknownText
	defer delete(f.now, v)
	texts := []string{""}
	for use := range f.before(v) {
		for outer := range use.Enclosing((*ast.CallExpr)(nil)) {
			if isReset(f.info, outer.Node().(*ast.CallExpr)) {
				texts = []string{""}
			} else {
				texts = cross(texts, f.wrote(outer.Node().(*ast.CallExpr), v))
			}
			break
		}
	}
	return texts
}

func isReset(info *types.Info, c *ast.CallExpr) bool {
	fn := calleeOf(info, c)
	return fn != nil && fn.Name() == "Reset"
}

// wrote returns what a call writes into a builder: b.WriteString(text), fmt.Fprintf(&b, format, ...).
func (f *fragments) wrote(c *ast.CallExpr, b *types.Var) []string {
	fn := calleeOf(f.info, c)
	if fn == nil {
		return unknownText
	}
	selector, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	switch own := ok && assigned(f.info, selector.X) == b; {
	case fn.FullName() == "fmt.Fprintf":
		return f.format(c.Args[1:])
	case !own:
		return unknownText
	case fn.Name() == "WriteString":
		return f.of(c.Args[0])
	case fn.Name() == "WriteByte" || fn.Name() == "WriteRune":
		return []string{" "}
	}
	return []string{""} // Grow and the like
}
