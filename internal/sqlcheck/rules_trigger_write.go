package sqlcheck

import "github.com/sqlc-dev/marino/ast"

// checkRows looks at a statement in the body of a trigger or routine that writes rows of a versioned table. One that
// compares their version and moves it is a compare-and-swap.
func checkRows(c *Catalog, who string, s *Statement, report Report) {
	fault := func(t *Table, does string) {
		report(s.Source, s.Span, who+" "+does, "write the rows of "+t.Name+" from the program, or compare the version that it hands over "+
			"and write "+t.Version.Name+" = "+t.Version.Name+" + 1")
	}
	if n, ok := s.Node.(*ast.TruncateTableStmt); ok {
		if t := c.named(n.Table); t != nil && t.Version != nil {
			fault(t, "empties "+t.Name+" whatever versions its rows are at")
		}
	}
	if n, sc, r := insertOf(c, s); n != nil {
		switch {
		case n.IsReplace:
			fault(r.table, "replaces rows of "+r.table.Name+" without comparing their version")
		case sc.changes(n, r) != nil:
			fault(r.table, "updates rows of "+r.table.Name+" without comparing their version")
		}
	}
	w := writeOf(c, s)
	if w == nil {
		return
	}
	for _, r := range w.versioned() {
		if does := w.breaks(r); does != "" {
			fault(r.table, does)
		}
	}
}

// breaks returns what an UPDATE or DELETE does to a table that is no compare-and-swap, empty if it is one.
func (w *write) breaks(r *ref) string {
	rows := " rows of " + r.table.Name
	switch {
	case !w.checksVersion(r) && w.update:
		return "updates" + rows + " without comparing their version"
	case !w.checksVersion(r):
		return "deletes" + rows + " without comparing their version"
	case !w.update:
		return ""
	}
	sets := w.setsOf(r, r.table.Version.Name)
	for _, a := range sets {
		switch {
		case w.staysPut(a.node.Expr, r):
			sets = nil
		case !w.movesUp(a.node.Expr, r):
			return "sets the version of" + rows + " to a value that is not their own, moved up"
		}
	}
	if len(sets) == 0 {
		return "updates" + rows + " and leaves their version as it is"
	}
	return ""
}
