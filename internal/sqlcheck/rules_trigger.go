package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/opcode"
)

var bumpingTrigger = Rule{
	ID:    "CAS012",
	Title: "a trigger or routine that writes versioned rows",
	Why: "The UPDATE of a compare-and-swap moves the version itself: its writer takes the row to be at the version it read, plus one. " +
		"A trigger that moves it too leaves another version behind, and the writer's next compare-and-swap meets a conflict " +
		"with itself. A trigger that writes rows of another versioned table, or a procedure, function or event that does, without " +
		"comparing their version and moving it, is a write that nobody expects: it loses what was written between somebody's read and " +
		"it, and readers do not notice it.",
	Mend: "Let the trigger move the version only where the UPDATE did not: IF NEW.version = OLD.version THEN SET NEW.version = " +
		"OLD.version + 1; END IF. Write the rows of other versioned tables from the program, under their versions, or hand the version " +
		"that was read to the procedure, which compares it and returns ROW_COUNT().",
	Bad: `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TRIGGER account_bump BEFORE UPDATE ON account FOR EACH ROW
  SET NEW.version = NEW.version + 1;`,
	Good: `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);
CREATE TRIGGER account_bump BEFORE UPDATE ON account FOR EACH ROW
BEGIN
  IF NEW.version = OLD.version THEN
    SET NEW.version = OLD.version + 1;
  END IF;
END;`,
	Lang: "sql",
	schema: func(c *Catalog, report Report) {
		for _, g := range c.Triggers {
			for _, s := range bodySteps(g.Body) {
				checkOwnVersion(c, g, s, report)
				checkRows(c, "trigger "+g.Name, s.statement(g.Source, g.body), report)
			}
		}
		for _, r := range c.Routines {
			for _, s := range bodySteps(r.Source.Text[r.Body.Start:r.Body.End]) {
				checkRows(c, r.Kind+" "+r.Name, s.statement(r.Source, r.Body), report)
			}
		}
	},
}

func checkOwnVersion(c *Catalog, g *Trigger, s step, report Report) {
	t := c.of(g)
	if t == nil || t.Version == nil || !g.Before {
		return
	}
	version := t.Version.Name
	for _, set := range s.sets(version) {
		value := expression(set.value)
		if g.Event != "UPDATE" {
			if beginsWrong(value, t.Version) {
				report(g.Source, set.span.in(g.body), "trigger "+g.Name+" has new rows of "+t.Name+" begin at a "+version+" that is not 1",
					"leave "+version+" alone: its DEFAULT is the first version")
			}
			continue
		}
		if movesIfUnmoved(value, version) || moves(value, version) && s.isGuarded(version) {
			continue
		}
		what := "moves " + t.Name + "." + version + " as well as the UPDATE that fires it: the row ends at another version than its writer believes"
		if isRowPlus(value, "OLD", version) {
			what = "sets " + t.Name + "." + version + " whatever the UPDATE that fires it set: one that moves it by more than one ends at another version than its writer believes"
		}
		report(g.Source, set.span.in(g.body), "trigger "+g.Name+" "+what,
			"move it only where the UPDATE did not: IF NEW."+version+" = OLD."+version+" THEN SET NEW."+version+" = OLD."+version+" + 1; END IF")
	}
}

// beginsWrong reports whether a new row's version is set to a number that is no first version, or to another column.
func beginsWrong(value ast.Node, version *Column) bool {
	switch n := bare(value).(type) {
	case *ast.ColumnNameExpr:
		return n.Name.Table.O != "" && !strings.EqualFold(n.Name.Name.O, version.Name)
	case ast.ExprNode:
		return startsWrong(n, version)
	}
	return false
}

// isGuarded reports whether the step runs only where the UPDATE left the version alone.
func (s step) isGuarded(version string) bool {
	return slices.ContainsFunc(s.guards, func(g guard) bool { return unmoved(expression(g.condition), version, g.negated) })
}

// unmoved reports whether a condition, or its contrary, holds only where the UPDATE left the version alone.
func unmoved(condition ast.Node, version string, negated bool) bool {
	switch n := bare(condition).(type) {
	case *ast.UnaryOperationExpr:
		return (n.Op == opcode.Not || n.Op == opcode.Not2) && unmoved(n.V, version, !negated)
	case *ast.BinaryOperationExpr:
		l, r := unmoved(n.L, version, negated), unmoved(n.R, version, negated)
		switch n.Op {
		case opcode.LogicAnd:
			return !negated && (l || r) || l && r
		case opcode.LogicOr:
			return negated && (l || r) || l && r
		case opcode.EQ, opcode.NullEQ:
			return !negated && isOldAndNew(n, version)
		case opcode.NE:
			return negated && isOldAndNew(n, version)
		}
	}
	return false
}

func isOldAndNew(n *ast.BinaryOperationExpr, version string) bool {
	return isRowColumn(n.L, "OLD", version) && isRowColumn(n.R, "NEW", version) ||
		isRowColumn(n.L, "NEW", version) && isRowColumn(n.R, "OLD", version)
}

// moves reports whether a value is the version plus a number. Where the UPDATE left the version alone, OLD and NEW
// are the same.
func moves(value ast.Node, version string) bool {
	return isRowPlus(value, "OLD", version) || isRowPlus(value, "NEW", version)
}

func isRowPlus(value ast.Node, row, version string) bool {
	n, ok := bare(value).(*ast.BinaryOperationExpr)
	if !ok || n.Op != opcode.Plus {
		return false
	}
	return isRowColumn(n.L, row, version) && isPositive(n.R) || isPositive(n.L) && isRowColumn(n.R, row, version)
}

func isPositive(n ast.Node) bool {
	v, ok := bare(n).(ast.ValueExpr)
	if !ok {
		return false
	}
	number, ok := v.GetValue().(int64)
	return ok && number > 0
}

// movesIfUnmoved reports whether a value has its guard in itself: IF(NEW.v = OLD.v, OLD.v + 1, NEW.v), the same as a
// CASE, or GREATEST(NEW.v, OLD.v + 1).
func movesIfUnmoved(value ast.Node, version string) bool {
	switch n := bare(value).(type) {
	case *ast.FuncCallExpr:
		switch args := n.Args; {
		case n.FnName.L == "if" && len(args) == 3:
			return unmoved(args[0], version, false) && moves(args[1], version) && isRowColumn(args[2], "NEW", version) ||
				unmoved(args[0], version, true) && moves(args[2], version) && isRowColumn(args[1], "NEW", version)
		case n.FnName.L == "greatest" && len(args) == 2:
			return isRowColumn(args[0], "NEW", version) && isRowPlus(args[1], "OLD", version) ||
				isRowColumn(args[1], "NEW", version) && isRowPlus(args[0], "OLD", version)
		}
	case *ast.CaseExpr:
		return n.Value == nil && len(n.WhenClauses) == 1 && unmoved(n.WhenClauses[0].Expr, version, false) &&
			moves(n.WhenClauses[0].Result, version) && isRowColumn(n.ElseClause, "NEW", version)
	}
	return false
}
