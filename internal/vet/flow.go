package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// slot names a variable, a parameter or a field by where it is declared. To each package that imports it, and to
// its tests, it is another object.
type slot struct {
	pkg, file, name string
	line            int
}

// flows knows what the loaded packages give to variables, parameters and fields. One that gets a value out of
// sight as well is lost: by its address, by a range, by a call of a function value.
type flows struct {
	fset    *token.FileSet
	given   map[slot][]source
	lost    map[slot]bool
	params  map[slot]bool       // parameters of functions: whether a call gives them anything
	methods map[slot]string     // of a method's parameters, the method's name
	dynamic map[string]bool     // methods that are called through an interface, by name
	called  map[*ast.Ident]bool // names of functions where they are called and no more
}

func newFlows(fset *token.FileSet, loaded []*packages.Package) *flows {
	f := &flows{
		fset: fset, given: map[slot][]source{}, lost: map[slot]bool{},
		params: map[slot]bool{}, methods: map[slot]string{}, dynamic: map[string]bool{}, called: map[*ast.Ident]bool{},
	}
	for _, p := range loaded {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				f.note(p.TypesInfo, n)
				return true
			})
		}
	}
	return f
}

// of returns all that is given to a variable; ok is false if that is not known.
func (f *flows) of(v *types.Var) (all []source, ok bool) {
	at := f.slot(v)
	if passed, param := f.params[at]; param && !passed || f.lost[at] || f.dynamic[f.methods[at]] {
		return nil, false
	}
	return f.given[at], len(f.given[at]) > 0
}

func (f *flows) slot(v *types.Var) slot {
	v = v.Origin()
	at := f.fset.PositionFor(v.Pos(), false)
	s := slot{file: filepath.Base(at.Filename), name: v.Name(), line: at.Line}
	if v.Pkg() != nil {
		s.pkg = v.Pkg().Path()
	}
	return s
}

func (f *flows) note(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			f.giveOne(info, assigned(info, left), n.Rhs, i, len(n.Lhs))
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			f.giveOne(info, info.ObjectOf(id), n.Values, i, len(n.Names))
		}
	case *ast.CompositeLit:
		f.noteFields(info, n)
	case *ast.CallExpr:
		f.noteCall(info, n)
	case *ast.Ident: // a function that is not called here may be, with anything, wherever its value goes
		if fn, ok := info.Uses[n].(*types.Func); ok && !f.called[n] {
			for v := range fn.Origin().Signature().Params().Variables() {
				f.lose(v)
			}
		}
	case *ast.RangeStmt:
		f.lose(assigned(info, n.Key))
		f.lose(assigned(info, n.Value))
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			f.lose(assigned(info, n.X))
		}
	case *ast.FuncDecl:
		f.noteParams(info, n)
		f.loseAll(info, n.Recv)
		f.loseAll(info, n.Type.Results)
	case *ast.FuncLit:
		f.loseAll(info, n.Type.Params)
		f.loseAll(info, n.Type.Results)
	}
}

// assigned returns what an expression on the left of an assignment stands for; nil for an element of a slice
// or a map.
func assigned(info *types.Info, expr ast.Expr) types.Object {
	switch e := ast.Unparen(expr).(type) {
	case *ast.Ident:
		return info.ObjectOf(e)
	case *ast.SelectorExpr:
		return info.ObjectOf(e.Sel)
	case *ast.StarExpr:
		return assigned(info, e.X)
	}
	return nil
}

// giveOne gives the i-th of some variables its value. Of several results of a call only the first is followed.
func (f *flows) giveOne(info *types.Info, o types.Object, values []ast.Expr, i, of int) {
	switch {
	case len(values) == of:
		f.give(o, source{expr: values[i], info: info})
	case len(values) == 1 && i == 0:
		f.give(o, source{expr: values[0], info: info})
	case len(values) == 1:
		f.lose(o)
	}
}

func (f *flows) give(o types.Object, from source) {
	if v, ok := o.(*types.Var); ok && holds(v.Type()) {
		at := f.slot(v)
		f.given[at] = append(f.given[at], from)
	}
}

func (f *flows) lose(o types.Object) {
	if v, ok := o.(*types.Var); ok && holds(v.Type()) {
		f.lost[f.slot(v)] = true
	}
}

// holds reports whether a variable of a type can hold a handle: numbers and texts, most of a program, cannot.
func holds(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Struct, *types.Interface:
		return true
	}
	return false
}

func (f *flows) loseAll(info *types.Info, list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			f.lose(info.ObjectOf(id))
		}
	}
}

// noteFields reads a literal of a struct, with names or without.
func (f *flows) noteFields(info *types.Info, lit *ast.CompositeLit) {
	fields := structOf(info.TypeOf(lit))
	if fields == nil {
		return
	}
	for i, e := range lit.Elts {
		if named, ok := e.(*ast.KeyValueExpr); ok {
			f.give(info.ObjectOf(named.Key.(*ast.Ident)), source{expr: named.Value, info: info})
		} else if i < fields.NumFields() {
			f.give(fields.Field(i), source{expr: e, info: info})
		}
	}
}

// structOf returns the struct that a type is, or points to; nil for other types.
func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	fields, _ := t.Underlying().(*types.Struct)
	return fields
}

// noteParams keeps the parameters of a function. Those of a method are known by its name: a call through an
// interface may reach any method of that name.
func (f *flows) noteParams(info *types.Info, d *ast.FuncDecl) {
	fn, ok := info.Defs[d.Name].(*types.Func)
	if !ok {
		return
	}
	for v := range fn.Signature().Params().Variables() {
		at := f.slot(v)
		if !f.params[at] { // no call was seen before
			f.params[at] = false
		}
		if d.Recv != nil {
			f.methods[at] = fn.Name()
		}
	}
}

// noteCall gives a function its arguments.
func (f *flows) noteCall(info *types.Info, c *ast.CallExpr) {
	if fields := structOf(info.TypeOf(c)); fields != nil && info.Types[c.Fun].IsType() {
		for v := range fields.Fields() {
			f.lose(v) // filled from another struct
		}
		return
	}
	fn, id := calleeOf(info, c), calledName(info, c.Fun)
	if fn == nil || id == nil {
		return
	}
	f.called[id] = true
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		f.dynamic[fn.Name()] = true
		return
	}
	params := fn.Signature().Params()
	for i := range params.Len() {
		if i >= len(c.Args) {
			f.lose(params.At(i)) // f(g()) gives the first what is known of g()
			continue
		}
		f.give(params.At(i), source{expr: c.Args[i], info: info})
		f.params[f.slot(params.At(i))] = true
	}
}

// calledName returns the name by which a call names a function; nil for (*T).Method(t), whose arguments are one
// more than the parameters.
func calledName(info *types.Info, fun ast.Expr) *ast.Ident {
	switch e := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		if sel := info.Selections[e]; sel == nil || sel.Kind() != types.MethodExpr {
			return e.Sel
		}
	case *ast.IndexExpr:
		return calledName(info, e.X)
	case *ast.IndexListExpr:
		return calledName(info, e.X)
	}
	return nil
}
