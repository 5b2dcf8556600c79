package casgen

import (
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// shape is what a statement of one table does, in the few forms that a query of a descriptor may have. Whatever
// else is in it is odd.
type shape struct {
	kind  string // select, update, delete, insert
	table string

	read  []string // columns that are selected, in their order
	set   []string // columns that are written, each from one parameter, in their order; without what moves
	where []string // columns that are compared with a parameter each, in their order
	moves string   // the column that is set to itself and a number more
	steps bool     // that number is a parameter

	// slots say what the parameters are for, in the order in which they are written.
	slots []slot

	lock ast.SelectLockType
	odd  string // what is in it besides, in words
}

// slot is one parameter.
type slot struct {
	role   role
	column string
	name   string // of sqlc.arg, empty for ?
}

type role uint8

const (
	roleSet role = iota
	roleSteps
	roleWhere
)

// shapeOf reads a statement; one that is not parsed is odd.
func shapeOf(s *sqlcheck.Statement, t *sqlcheck.Table) shape {
	var sh shape
	switch n := s.Node.(type) {
	case *ast.SelectStmt:
		sh.kind = "select"
		sh.ofSelect(n, t)
	case *ast.UpdateStmt:
		sh.kind = "update"
		sh.ofUpdate(n)
	case *ast.DeleteStmt:
		sh.kind = "delete"
		sh.from(n.TableRefs)
		sh.oddIf(n.IsMultiTable || n.With != nil || n.Order != nil || n.Limit != nil || n.IgnoreErr, "more than FROM and WHERE")
		sh.conjunct(n.Where)
	case *ast.InsertStmt:
		sh.kind = "insert"
		sh.ofInsert(n, t)
	default:
		sh.oddIf(true, "a statement that is none of SELECT, INSERT, UPDATE and DELETE")
	}
	return sh
}

func (sh *shape) oddIf(is bool, what string) {
	if is && sh.odd == "" {
		sh.odd = what
	}
}

func (sh *shape) from(refs *ast.TableRefsClause) {
	if refs == nil || refs.TableRefs == nil || refs.TableRefs.Right != nil {
		sh.oddIf(true, "more than one table")
		return
	}
	if source, ok := refs.TableRefs.Left.(*ast.TableSource); ok {
		if name, ok := source.Source.(*ast.TableName); ok {
			sh.table = name.Name.O
			return
		}
	}
	sh.oddIf(true, "a table that is none")
}

func (sh *shape) ofSelect(n *ast.SelectStmt, t *sqlcheck.Table) {
	sh.from(n.From)
	sh.oddIf(n.Distinct || n.GroupBy != nil || n.Having != nil || n.With != nil || n.OrderBy != nil || n.Limit != nil ||
		n.SelectIntoOpt != nil || len(n.MoreLockInfos) > 0, "more than FROM, WHERE and FOR UPDATE")
	if n.Fields != nil {
		for _, f := range n.Fields.Fields {
			sh.field(f, t)
		}
	}
	sh.conjunct(n.Where)
	if n.LockInfo != nil {
		sh.lock = n.LockInfo.LockType
	}
}

func (sh *shape) field(f *ast.SelectField, t *sqlcheck.Table) {
	if f.WildCard != nil {
		for _, c := range t.Columns {
			if !c.Invisible {
				sh.read = append(sh.read, c.Name)
			}
		}
		return
	}
	c, ok := f.Expr.(*ast.ColumnNameExpr)
	if !ok || f.AsName.O != "" && !strings.EqualFold(f.AsName.O, c.Name.Name.O) {
		sh.oddIf(true, "a selected value that is not a column under its own name")
		return
	}
	sh.read = append(sh.read, c.Name.Name.O)
}

func (sh *shape) ofUpdate(n *ast.UpdateStmt) {
	sh.from(n.TableRefs)
	sh.oddIf(n.With != nil || n.Order != nil || n.Limit != nil || n.IgnoreErr, "more than SET and WHERE")
	for _, a := range n.List {
		sh.assignment(a)
	}
	sh.conjunct(n.Where)
}

func (sh *shape) assignment(a *ast.Assignment) {
	name := a.Column.Name.O
	value := bare(a.Expr)
	if isParam(value) {
		sh.set = append(sh.set, name)
		sh.slots = append(sh.slots, slot{roleSet, name, nameOf(value)})
		return
	}
	plus, ok := value.(*ast.BinaryOperationExpr)
	if !ok || plus.Op != opcode.Plus || !strings.EqualFold(columnOf(plus.L), name) || sh.moves != "" {
		sh.oddIf(true, "SET "+name+" to what is neither a parameter nor itself and a number more")
		return
	}
	sh.moves = name
	if sh.steps = isParam(bare(plus.R)); sh.steps {
		sh.slots = append(sh.slots, slot{roleSteps, name, nameOf(bare(plus.R))})
		return
	}
	sh.oddIf(!isPositive(plus.R), "SET "+name+" to itself and what is not a number above 0")
}

func (sh *shape) ofInsert(n *ast.InsertStmt, t *sqlcheck.Table) {
	sh.from(n.Table)
	sh.oddIf(n.IsReplace || n.IgnoreErr || n.Setlist || len(n.OnDuplicate) > 0 || n.Select != nil || len(n.Lists) != 1,
		"more than INSERT INTO table (columns) VALUES (parameters)")
	if sh.odd != "" || len(n.Lists[0]) != len(n.Columns) {
		sh.oddIf(true, "columns that are not named")
		return
	}
	for i, c := range n.Columns {
		value := bare(n.Lists[0][i])
		if _, literal := value.(ast.ValueExpr); literal && !isParam(value) && t.Column(c.Name.O) == t.Version {
			continue // CAS018 looks at what a version starts with
		}
		sh.oddIf(!isParam(value), "a value that is no parameter")
		sh.set = append(sh.set, c.Name.O)
		sh.slots = append(sh.slots, slot{roleSet, c.Name.O, nameOf(value)})
	}
}

// conjunct reads what WHERE demands: column = parameter, AND the same again.
func (sh *shape) conjunct(e ast.ExprNode) {
	if e == nil {
		return
	}
	b, ok := bare(e).(*ast.BinaryOperationExpr)
	switch {
	case ok && b.Op == opcode.LogicAnd:
		sh.conjunct(b.L)
		sh.conjunct(b.R)
		return
	case ok && b.Op == opcode.EQ:
		l, r := bare(b.L), bare(b.R)
		if isParam(l) {
			l, r = r, l
		}
		if name := columnOf(l); name != "" && isParam(r) {
			sh.oddIf(isNarg(r), "sqlc.narg in WHERE, which finds no row if it is NULL")
			sh.where = append(sh.where, name)
			sh.slots = append(sh.slots, slot{roleWhere, name, nameOf(r)})
			return
		}
	}
	sh.oddIf(true, "a condition that is not column = parameter")
}

// whereOf reads the table and the condition of an UPDATE or DELETE alone.
func whereOf(s *sqlcheck.Statement) shape {
	var sh shape
	switch n := s.Node.(type) {
	case *ast.UpdateStmt:
		sh.from(n.TableRefs)
		sh.oddIf(n.With != nil || n.Order != nil || n.Limit != nil || n.IgnoreErr, "more than SET and WHERE")
		sh.conjunct(n.Where)
	case *ast.DeleteStmt:
		sh.from(n.TableRefs)
		sh.oddIf(n.IsMultiTable || n.With != nil || n.Order != nil || n.Limit != nil || n.IgnoreErr, "more than FROM and WHERE")
		sh.conjunct(n.Where)
	default:
		sh.oddIf(true, "a statement that is neither UPDATE nor DELETE")
	}
	return sh
}
