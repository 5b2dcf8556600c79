package sqlcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/mysql"
	"github.com/sqlc-dev/marino/opcode"
)

// selected is a value in a SELECT list from which a column of a query's result gets its type.
type selected struct {
	node     ast.ExprNode
	compared bool // it is a side of a comparison, whose result is true, false or NULL
}

// resultOf returns the values that the columns of a query's result are made of, down to functions and
// columns. Sqlc believes a CAST that is around all of a column, save AS CHAR, so that what is in it is no such
// value; a CAST further in helps nothing. A column of a derived table or of WITH is what that selects.
func resultOf(s *Statement) []selected {
	r := results{seen: map[ast.Node]bool{}}
	if s.Query != nil && s.Node != nil {
		r.query(s.Node, nil)
	}
	return r.found
}

type results struct {
	found []selected
	with  []*ast.CommonTableExpression
	seen  map[ast.Node]bool
}

// query takes the columns of a SELECT, only those in names unless names is nil. A UNION has the types of
// its first SELECT.
func (r *results) query(n ast.Node, names func(string) bool) {
	switch n := n.(type) {
	case *ast.SubqueryExpr:
		r.query(n.Query, names)
	case *ast.SetOprStmt:
		if n.With != nil {
			r.with = append(r.with, n.With.CTEs...)
		}
		if n.SelectList != nil {
			r.query(n.SelectList, names)
		}
	case *ast.SetOprSelectList:
		if len(n.Selects) > 0 {
			r.query(n.Selects[0], names)
		}
	case *ast.SelectStmt:
		if n.Fields == nil {
			return
		}
		if n.With != nil {
			r.with = append(r.with, n.With.CTEs...)
		}
		for _, f := range n.Fields.Fields {
			if f.Expr == nil {
				r.derived(n, f.WildCard.Table.L, nil)
			} else if names == nil || names(fieldName(f)) {
				r.column(n, f.Expr)
			}
		}
	}
}

// fieldName returns the name of a selected column, in lower case; empty if it has none.
func fieldName(f *ast.SelectField) string {
	if f.AsName.L != "" {
		return f.AsName.L
	}
	if c := bareColumn(f.Expr); c != nil {
		return c.Name.L
	}
	return ""
}

// column takes all of one column.
func (r *results) column(from *ast.SelectStmt, expr ast.ExprNode) {
	if c := bareColumn(expr); c != nil {
		r.derived(from, c.Table.L, func(name string) bool { return name == c.Name.L })
		return
	}
	if typedCast(unwrap(expr)) {
		return
	}
	if c, ok := unwrap(expr).(*ast.CaseExpr); ok && c.ElseClause != nil && typedCast(unwrap(c.ElseClause)) {
		return
	}
	r.value(expr, false)
}

func typedCast(n ast.Node) bool {
	c, ok := n.(*ast.FuncCastExpr)
	return ok && c.Tp.GetType() != mysql.TypeVarString
}

// derived takes the columns that a SELECT has from its derived tables, and from WITH.
func (r *results) derived(s *ast.SelectStmt, table string, names func(string) bool) {
	if s.From == nil || r.seen[s] {
		return
	}
	r.seen[s] = true
	defer delete(r.seen, s)
	for _, source := range sourcesOf(s.From.TableRefs) {
		alias := source.AsName.L
		switch n := source.Source.(type) {
		case *ast.TableName:
			if alias == "" {
				alias = n.Name.L
			}
			i := slices.IndexFunc(r.with, func(c *ast.CommonTableExpression) bool { return c.Name.L == n.Name.L })
			if i >= 0 && (table == "" || table == alias) && !r.seen[r.with[i]] {
				r.seen[r.with[i]] = true
				r.query(r.with[i].Query, names)
				delete(r.seen, r.with[i])
			}
		case *ast.SelectStmt, *ast.SetOprStmt:
			if table == "" || table == alias {
				r.query(n, names)
			}
		}
	}
}

// sourcesOf returns the tables that a FROM joins.
func sourcesOf(n ast.ResultSetNode) []*ast.TableSource {
	switch n := n.(type) {
	case *ast.Join:
		if n == nil {
			return nil
		}
		return append(sourcesOf(n.Left), sourcesOf(n.Right)...)
	case *ast.TableSource:
		return []*ast.TableSource{n}
	}
	return nil
}

// value takes what a value is made of: the parts whose type is its type.
func (r *results) value(expr ast.ExprNode, compared bool) {
	switch n := expr.(type) {
	case nil:
	case *ast.ParenthesesExpr:
		r.value(n.Expr, compared)
	case *ast.UnaryOperationExpr:
		r.value(n.V, compared)
	case *ast.FuncCastExpr:
		r.value(n.Expr, compared)
	case *ast.CaseExpr:
		for _, when := range n.WhenClauses {
			r.value(when.Result, compared)
		}
		r.value(n.ElseClause, compared)
	case *ast.BinaryOperationExpr:
		if n.Op == opcode.NullEQ {
			return
		}
		compared = compared || compares(n.Op)
		r.value(n.L, compared)
		r.value(n.R, compared)
	case *ast.SubqueryExpr:
		r.query(n.Query, nil)
	case *ast.FuncCallExpr:
		r.function(n, compared)
	case *ast.AggregateFuncExpr, *ast.WindowFuncExpr:
		r.found = append(r.found, selected{n, compared})
	}
}

func compares(op opcode.Op) bool {
	switch op {
	case opcode.EQ, opcode.NE, opcode.LT, opcode.LE, opcode.GT, opcode.GE, opcode.LogicAnd, opcode.LogicOr, opcode.LogicXor:
		return true
	}
	return false
}

// function looks through the functions that return one of their arguments. COALESCE has the type of the first
// bare column in it, and is never NULL: comparing it is sound.
func (r *results) function(n *ast.FuncCallExpr, compared bool) {
	args := n.Args
	switch n.FnName.L {
	case "coalesce":
		if compared || slices.ContainsFunc(args, func(a ast.ExprNode) bool { return bareColumn(a) != nil }) {
			return
		}
	case "ifnull":
		if compared {
			return
		}
	case "if":
		args = args[min(1, len(args)):]
	case "nullif", "greatest", "least":
	default:
		r.found = append(r.found, selected{n, compared})
		return
	}
	for _, a := range args {
		r.value(a, compared)
	}
}

// lockFunctions return NULL where something is wrong, which a bool cannot hold.
var lockFunctions = []string{"get_lock", "release_lock", "is_free_lock", "is_used_lock"}

// checkLockFunction is CAS022.
func checkLockFunction(_ Input, s *Statement, report Report) {
	for _, v := range resultOf(s) {
		f, ok := v.node.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		name := strings.ToUpper(f.FnName.O)
		mend := fmt.Sprintf("write CAST(COALESCE(%s(...), -1) AS SIGNED) AS a_name", name)
		switch {
		case slices.Contains(lockFunctions, f.FnName.L):
			what := "has no value for NULL"
			if f.FnName.L == "is_used_lock" {
				what = "has no value for NULL and for the number of a connection"
			}
			report(s.Source, nameSpan(s, f), fmt.Sprintf("sqlc makes %s a bool, which %s: Scan fails", name, what), mend)
		case f.FnName.L == "connection_id" && !v.compared:
			report(s.Source, nameSpan(s, f), "sqlc makes CONNECTION_ID an int32, but it is unsigned: Scan fails for the upper half",
				"write CAST(CONNECTION_ID() AS SIGNED) AS a_name")
		}
	}
}

// counted are the aggregates that sqlc gives a type.
var counted = []string{"count", "group_concat", "json_arrayagg", "json_objectagg"}

// checkAggregate is CAS023.
func checkAggregate(_ Input, s *Statement, report Report) {
	for _, v := range resultOf(s) {
		name, cast := "", "SIGNED"
		switch n := v.node.(type) {
		case *ast.AggregateFuncExpr:
			if !slices.Contains(counted, strings.ToLower(n.F)) {
				name = strings.ToUpper(n.F)
			}
		case *ast.WindowFuncExpr:
			name = strings.ToUpper(n.Name) + "() OVER"
		case *ast.FuncCallExpr:
			if n.FnName.L == "any_value" {
				name = "ANY_VALUE"
			}
		}
		if name == "" || v.compared {
			continue
		}
		if name == "AVG" {
			cast = "DECIMAL(20, 4)"
		}
		report(s.Source, nameSpan(s, v.node), fmt.Sprintf("sqlc knows no type for %s: the column becomes an interface{}, "+
			"or an int32 where something is added to it", name),
			fmt.Sprintf("write CAST(COALESCE(%s(...), 0) AS %s) AS a_name, with the CAST around the whole column; AS CHAR has no type either",
				strings.TrimSuffix(name, "() OVER"), cast))
	}
}

// unsigned are functions whose result is unsigned, with the type that sqlc makes of it and one that holds it.
var unsigned = map[string][2]string{
	"crc32":      {"int32", "UNSIGNED"},
	"inet_aton":  {"int32", "UNSIGNED"},
	"uuid_short": {"int64", "DECIMAL(20, 0)"},
}

// checkSigned is CAS027.
func checkSigned(_ Input, s *Statement, report Report) {
	for _, v := range resultOf(s) {
		f, ok := v.node.(*ast.FuncCallExpr)
		if !ok || v.compared {
			continue
		}
		if types, ok := unsigned[f.FnName.L]; ok {
			name := strings.ToUpper(f.FnName.O)
			report(s.Source, nameSpan(s, f), fmt.Sprintf("sqlc makes %s an %s, but it is unsigned: Scan fails for the upper half", name, types[0]),
				fmt.Sprintf("write CAST(%s(...) AS %s) AS a_name", name, types[1]))
		}
	}
}

// nameSpan returns where a function's name is.
func nameSpan(s *Statement, n ast.Node) Span {
	at := n.OriginTextPosition()
	end := at
	for end < len(s.Text) && isWordByte(s.Text[end]) {
		end++
	}
	return s.inSource(Span{at, end})
}
