package sqlcheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

// insertOf reads an INSERT or a REPLACE into a versioned table.
func insertOf(c *Catalog, s *Statement) (*ast.InsertStmt, *scope, *ref) {
	n, ok := s.Node.(*ast.InsertStmt)
	if !ok {
		return nil, nil, nil
	}
	sc := newScope(c, withQueries{}, n.Table, nil)
	if len(sc.refs) == 0 || sc.refs[0].table == nil || sc.refs[0].table.Version == nil {
		return nil, nil, nil
	}
	return n, sc, sc.refs[0]
}

func checkUpsert(in Input, s *Statement, report Report) {
	at := placesOf(s)
	const mend = "insert, and on the duplicate key error read the row and swap it"
	if load, ok := s.Node.(*ast.LoadDataStmt); ok && load.OnDuplicate == ast.OnDuplicateKeyHandlingReplace {
		if t := in.Catalog.named(load.Table); t != nil && t.Version != nil {
			report(s.Source, at.table(load.Table),
				fmt.Sprintf("LOAD DATA REPLACE takes the place of rows of %s whatever version they are at", t.Name), mend)
		}
		return
	}
	n, sc, r := insertOf(in.Catalog, s)
	if n == nil {
		return
	}
	if n.IsReplace {
		report(s.Source, at.ref(r), fmt.Sprintf("REPLACE takes the place of a row of %s whatever version it is at, and begins "+
			"again at the first", r.table.Name), mend)
		return
	}
	if a := sc.changes(n, r); a != nil {
		what := fmt.Sprintf("ON DUPLICATE KEY UPDATE changes a row of %s whatever version it is at", r.table.Name)
		if sc.decidesByVersion(n, r) {
			what = fmt.Sprintf("ON DUPLICATE KEY UPDATE compares the version of %s in its values, but an insert happens whatever was read: "+
				"a row that was deleted comes back, and the count does not say which of the two it was", r.table.Name)
		}
		report(s.Source, at.set(a), what, mend)
	}
}

// decidesByVersion reports whether each assignment that changes something has a condition with the version in it, as
// IF(version = VALUES(version), ...).
func (sc *scope) decidesByVersion(n *ast.InsertStmt, r *ref) bool {
	for _, a := range n.OnDuplicate {
		var conditions []ast.ExprNode
		switch e := unwrap(a.Expr).(type) {
		case *ast.FuncCallExpr:
			if e.FnName.L == "if" && len(e.Args) > 0 {
				conditions = e.Args[:1]
			}
		case *ast.CaseExpr:
			for _, when := range e.WhenClauses {
				conditions = append(conditions, when.Expr)
			}
		}
		decides := slices.ContainsFunc(conditions, func(c ast.ExprNode) bool {
			return sc.mentions(c, func(of *ref, column string) bool { return of == r && strings.EqualFold(column, r.table.Version.Name) })
		})
		if !decides && !sc.keeps(a, r) {
			return false
		}
	}
	return true
}

// changes returns the first assignment of ON DUPLICATE KEY UPDATE that gives a column another value, nil if there
// is none.
func (sc *scope) changes(n *ast.InsertStmt, r *ref) *ast.Assignment {
	for _, a := range n.OnDuplicate {
		if !sc.keeps(a, r) {
			return a
		}
	}
	return nil
}

// keeps reports whether an assignment of ON DUPLICATE KEY UPDATE gives a column the value that it has:
// id = id, or id = LAST_INSERT_ID(id), which is how the id of the row that is there is asked for.
func (sc *scope) keeps(a *ast.Assignment, r *ref) bool {
	e := a.Expr
	if call, ok := unwrap(e).(*ast.FuncCallExpr); ok && call.FnName.L == "last_insert_id" && len(call.Args) == 1 {
		e = call.Args[0]
	}
	return sc.isColumn(e, r, a.Column.Name.O)
}

func checkStart(in Input, s *Statement, report Report) {
	at := placesOf(s)
	n, _, r := insertOf(in.Catalog, s)
	if n == nil || n.IsReplace {
		return
	}
	version := r.table.Version
	column := versionPlace(n, r.table)
	if column < 0 {
		return
	}
	for _, e := range valuesAt(n, column) {
		if startsWrong(e, version) {
			report(s.Source, at.expr(e),
				fmt.Sprintf("a new row of %s begins at a %s that is not 1", r.table.Name, version.Name),
				fmt.Sprintf("leave %s out of the INSERT: its DEFAULT is the first version", version.Name))
			return // the other rows have the same mend
		}
	}
}

// versionPlace returns which of an INSERT's values is the version, -1 if none is. An INSERT without a list
// of columns gives all that are visible.
func versionPlace(n *ast.InsertStmt, t *Table) int {
	var names []string
	for _, c := range n.Columns {
		names = append(names, c.Name.O)
	}
	if len(names) == 0 {
		for _, c := range t.Columns {
			if !c.Invisible {
				names = append(names, c.Name)
			}
		}
	}
	return slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, t.Version.Name) })
}

// valuesAt are the values of one column: of each row of VALUES, or of what is selected.
func valuesAt(n *ast.InsertStmt, at int) []ast.ExprNode {
	var values []ast.ExprNode
	for _, row := range n.Lists {
		if at < len(row) {
			values = append(values, row[at])
		}
	}
	if n.Select != nil {
		values = append(values, selectedAt(n.Select, at)...)
	}
	return values
}

// selectedAt are the values of one column of a query: of each row of VALUES ROW(...), of each side of a UNION.
func selectedAt(n ast.Node, at int) []ast.ExprNode {
	var values []ast.ExprNode
	switch n := n.(type) {
	case *ast.SetOprStmt:
		return selectedAt(n.SelectList, at)
	case *ast.SetOprSelectList:
		for _, side := range n.Selects {
			values = append(values, selectedAt(side, at)...)
		}
	case *ast.SelectStmt:
		for _, row := range n.Lists {
			if at < len(row.Values) {
				values = append(values, row.Values[at])
			}
		}
		if n.Fields == nil || at >= len(n.Fields.Fields) {
			return values
		}
		isWild := func(f *ast.SelectField) bool { return f.WildCard != nil }
		if fields := n.Fields.Fields; !slices.ContainsFunc(fields[:at+1], isWild) { // past a * no place is known
			values = append(values, fields[at].Expr)
		}
	}
	return values
}

// startsWrong reports whether a value is a literal that is neither 1 nor the column's default.
func startsWrong(e ast.ExprNode, version *Column) bool {
	e = unwrap(e)
	if u, ok := e.(*ast.UnaryOperationExpr); ok && u.Op == opcode.Plus {
		e = u.V
	}
	var text string
	switch v := literalValue(e).(type) {
	case notLiteral:
		return false
	case int64:
		text = strconv.FormatInt(v, 10)
	case uint64:
		text = strconv.FormatUint(v, 10)
	case string:
		text = v
	default:
		return true // NULL, a fraction
	}
	return text != "1" && text != strings.Trim(version.Default, `'"`)
}
