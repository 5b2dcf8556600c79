package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// source is where a name gets its value from.
type source struct {
	expr ast.Expr // of several results of a call, the call
	info *types.Info
}

// sources knows the constants, and the variables that get a value in one place only: such a variable is that
// value wherever it is used. Parameters, results, variables whose address is taken and exported ones may get
// others.
type sources struct {
	local  map[types.Object]source
	global map[string]source // constants of packages, whose objects differ from importer to importer
	often  map[types.Object]bool
}

func newSources(loaded []*packages.Package) *sources {
	s := &sources{local: map[types.Object]source{}, global: map[string]source{}, often: map[types.Object]bool{}}
	for _, p := range loaded {
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				s.note(p.TypesInfo, n)
				return true
			})
		}
	}
	return s
}

// of returns where an object gets its value from, if that is one place.
func (s *sources) of(o types.Object) (source, bool) {
	if o == nil || s.often[o] {
		return source{}, false
	}
	if from, ok := s.local[o]; ok {
		return from, true
	}
	from, ok := s.global[globalName(o)]
	return from, ok && globalName(o) != ""
}

// globalName names a package's constant; it is empty for everything else.
func globalName(o types.Object) string {
	if c, ok := o.(*types.Const); ok && c.Pkg() != nil && c.Parent() == c.Pkg().Scope() {
		return c.Pkg().Path() + "." + c.Name()
	}
	return ""
}

func (s *sources) note(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			id, ok := ast.Unparen(left).(*ast.Ident)
			if !ok {
				continue
			}
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				s.spoil(info, id)
				continue
			}
			s.assign(info, id, n.Rhs, i, len(n.Lhs))
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if len(n.Values) > 0 {
				s.assign(info, id, n.Values, i, len(n.Names))
			}
		}
	case *ast.RangeStmt:
		s.spoil(info, n.Key)
		s.spoil(info, n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			s.spoil(info, n.X)
		}
	case *ast.Field: // a parameter, a result, a receiver
		for _, id := range n.Names {
			s.spoil(info, id)
		}
	}
}

func (s *sources) assign(info *types.Info, id *ast.Ident, values []ast.Expr, i, of int) {
	o := info.ObjectOf(id)
	if o == nil {
		return
	}
	from := source{info: info}
	switch {
	case len(values) == of:
		from.expr = values[i]
	case len(values) == 1:
		from.expr = values[0]
	default:
		return
	}
	if name := globalName(o); name != "" {
		s.global[name] = from
		return
	}
	if _, again := s.local[o]; again || isOpen(o) {
		s.often[o] = true
		return
	}
	s.local[o] = from
}

func (s *sources) spoil(info *types.Info, expr ast.Expr) {
	if id, ok := expr.(*ast.Ident); ok {
		if o := info.ObjectOf(id); o != nil {
			s.often[o] = true
		}
	}
}

// isOpen reports whether other packages can assign to a variable.
func isOpen(o types.Object) bool {
	_, variable := o.(*types.Var)
	return variable && o.Exported() && o.Pkg() != nil && o.Parent() == o.Pkg().Scope()
}
