package sqlcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

func checkUnversioned(in Input, s *Statement, report Report) {
	at := placesOf(s)
	if n, ok := s.Node.(*ast.TruncateTableStmt); ok {
		if t := in.Catalog.named(n.Table); t != nil && t.Version != nil {
			report(s.Source, at.table(n.Table),
				fmt.Sprintf("TRUNCATE empties %s whatever versions its rows are at", t.Name),
				"delete rows by key and version, or allow it with a reason")
		}
		return
	}
	w := writeOf(in.Catalog, s)
	if w == nil {
		return
	}
	for _, r := range w.versioned() {
		if w.checksVersion(r) {
			continue
		}
		column := r.table.Version.Name
		mend := fmt.Sprintf("compare the version that was read (AND %s = ?), and treat 0 affected rows as a conflict", column)
		if e := w.versionMention(r); e != nil {
			report(s.Source, at.expr(e), fmt.Sprintf("this condition does not hold the %s of %s to the one version that was read",
				w.verb(), r.table.Name), mend)
			continue
		}
		report(s.Source, at.where(w.scope, r), fmt.Sprintf("%s of %s does not compare its %s: what others have written since "+
			"the row was read is lost", w.verb(), r.table.Name, column), mend)
	}
}

func checkUnmoved(in Input, s *Statement, report Report) {
	at := placesOf(s)
	w := writeOf(in.Catalog, s)
	if w == nil || !w.update {
		return
	}
	for _, r := range w.versioned() {
		column := r.table.Version.Name
		sets := w.setsOf(r, column)
		if len(sets) == 0 {
			report(s.Source, at.ref(r), fmt.Sprintf("UPDATE of %s does not move its %s: who has read the row before still "+
				"matches", r.table.Name, column), fmt.Sprintf("add %s = %s + 1 to SET", column, column))
		}
		for _, a := range sets {
			if w.staysPut(a.node.Expr, r) {
				report(s.Source, at.set(a.node), fmt.Sprintf("this leaves the %s of %s as it is", column, r.table.Name),
					fmt.Sprintf("write %s = %s + 1", column, column))
			}
		}
	}
}

// staysPut reports whether an expression is a table's version itself, or that plus nothing.
func (w *write) staysPut(e ast.ExprNode, r *ref) bool {
	own := 0
	for _, term := range sum(e) {
		switch {
		case w.isColumn(term, r, r.table.Version.Name):
			own++
		case literalValue(term) != any(int64(0)):
			return false
		}
	}
	return own == 1
}

// sum are the terms that + adds.
func sum(e ast.ExprNode) []ast.ExprNode {
	e = unwrap(e)
	if b, ok := e.(*ast.BinaryOperationExpr); ok && b.Op == opcode.Plus {
		return append(sum(b.L), sum(b.R)...)
	}
	return []ast.ExprNode{e}
}

func checkAbsolute(in Input, s *Statement, report Report) {
	at := placesOf(s)
	w := writeOf(in.Catalog, s)
	if w == nil || !w.update {
		return
	}
	for _, r := range w.versioned() {
		column := r.table.Version.Name
		for _, a := range w.setsOf(r, column) {
			if w.movesUp(a.node.Expr, r) || w.staysPut(a.node.Expr, r) {
				continue
			}
			report(s.Source, at.set(a.node),
				fmt.Sprintf("the %s of %s is set to a value that is not the row's own, moved up", column, r.table.Name),
				fmt.Sprintf("let the server count: %s = %s + 1, or %s + ? for several steps", column, column, column))
		}
	}
}

// movesUp reports whether an expression is a table's version plus positive whole numbers and parameters,
// LAST_INSERT_ID around it or not.
func (w *write) movesUp(e ast.ExprNode, r *ref) bool {
	if call, ok := unwrap(e).(*ast.FuncCallExpr); ok && call.FnName.L == "last_insert_id" && len(call.Args) == 1 {
		e = call.Args[0]
	}
	own, steps := 0, 0
	for _, term := range sum(e) {
		switch {
		case w.isColumn(term, r, r.table.Version.Name):
			own++
		case isStep(term):
			steps++
		default:
			return false
		}
	}
	return own == 1 && steps > 0
}

// isStep reports whether an expression is a positive whole number, or a parameter that cannot be NULL.
func isStep(e ast.ExprNode) bool {
	switch v := literalValue(e).(type) {
	case int64:
		return v > 0
	case uint64:
		return v > 0
	}
	if cast, ok := unwrap(e).(*ast.FuncCastExpr); ok {
		return isParam(cast.Expr) // the type that sqlc is to give the parameter
	}
	return isParam(e)
}

func checkCountIgnored(in Input, s *Statement, report Report) {
	if s.Query == nil || slices.Contains([]string{"execrows", "execresult"}, s.Query.Command) {
		return
	}
	w := writeOf(in.Catalog, s)
	if w == nil {
		return
	}
	for _, r := range w.versioned() {
		if !w.checksVersion(r) || s.Query.Command == "execlastid" && w.tellsVersion(r) {
			continue
		}
		report(s.Source, s.Query.Span, fmt.Sprintf("%s is a compare-and-swap of %s, and :%s throws away the row count that says "+
			"whether it has happened", s.Query.Name, r.table.Name, s.Query.Command), "make it :execrows, and treat 0 as a conflict")
		return
	}
}

// tellsVersion reports whether the UPDATE returns the new version as the last insert id: that is 0 when no
// row was affected, and as good as the count.
func (w *write) tellsVersion(r *ref) bool {
	return slices.ContainsFunc(w.setsOf(r, r.table.Version.Name), func(a set) bool {
		call, ok := unwrap(a.node.Expr).(*ast.FuncCallExpr)
		return ok && call.FnName.L == "last_insert_id"
	})
}

func checkKeyChanged(in Input, s *Statement, report Report) {
	at := placesOf(s)
	w := writeOf(in.Catalog, s)
	if w == nil || !w.update {
		return
	}
	for _, a := range w.sets {
		if a.ref == nil || a.ref.table == nil || a.ref.table.Version == nil || !a.ref.table.IsKey(a.column) {
			continue
		}
		if w.isColumn(a.node.Expr, a.ref, a.column) {
			continue
		}
		report(s.Source, at.set(a.node), fmt.Sprintf("%s is in the primary key of %s: who has read the row under the old key "+
			"finds it gone", a.column, a.ref.table.Name), "leave the key alone: insert a new row, and delete the old one by key and version")
	}
}

func checkGuarded(in Input, s *Statement, report Report) {
	at := placesOf(s)
	w := writeOf(in.Catalog, s)
	if w == nil || s.Query == nil || !s.Query.Marked {
		return
	}
	for _, r := range w.versioned() {
		if open := w.openKey(r); len(open) > 0 {
			report(s.Source, at.where(w.scope, r), fmt.Sprintf("%s is marked @cas and does not compare %s of the primary key of %s: "+
				"it is not about one row", s.Query.Name, strings.Join(open, ", "), r.table.Name), "compare every column of the primary key by =, or drop @cas")
			continue
		}
		if !w.checksVersion(r) {
			continue // CAS001 says it
		}
		for _, c := range w.conds {
			if !w.keyEquals(c.expr, r) {
				report(s.Source, at.expr(c.expr), fmt.Sprintf("with this condition 0 rows of %s do not say whether another writer "+
					"was faster or the condition does not hold", s.Query.Name),
					"decide in Go from the row that was read, or drop @cas")
			}
		}
	}
}

func checkNamesRow(in Input, s *Statement, report Report) {
	w := writeOf(in.Catalog, s)
	if w == nil || s.Query != nil && s.Query.Marked { // CAS017 says it of those
		return
	}
	at := placesOf(s)
	for _, r := range w.several(w.versioned()) {
		if len(r.table.Primary) == 0 || !w.fixed(r, r.table.Version.Name, noRef) {
			continue
		}
		report(s.Source, at.where(w.scope, r), fmt.Sprintf("this compares the version of %s without naming a row by its key: every row "+
			"that happens to be at that version is written", r.table.Name),
			"compare "+strings.Join(w.openKey(r), ", ")+" too")
	}
}
