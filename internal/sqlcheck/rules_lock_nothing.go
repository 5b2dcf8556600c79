package sqlcheck

import (
	"fmt"
	"slices"

	"github.com/sqlc-dev/marino/ast"
)

var lockOfNothing = Rule{
	ID:    "CAS032",
	Title: "lock that locks nothing",
	Why: "FOR UPDATE and FOR SHARE lock rows of the tables in their own FROM. They do not reach into a subquery, a derived table or " +
		"a CTE, and behind a UNION they belong to the last SELECT. What is read there is read as of the transaction's snapshot, and " +
		"another transaction may have changed it already, or does so before this one commits. (A subquery is reported if the table " +
		"that it reads is versioned.)",
	Mend: "Write the locking clause into each SELECT that reads a table. A view needs none of its own: its rows are locked.",
	Bad: `-- name: GetMine :many
WITH mine AS (SELECT id, balance, version FROM account WHERE id = sqlc.arg(id))
SELECT id, balance, version FROM mine
FOR UPDATE;`,
	Good: `-- name: GetMine :many
SELECT id, balance, version FROM account
WHERE id = sqlc.arg(id)
FOR UPDATE;`,
	Lang:      "sql",
	statement: checkLockOfNothing,
}

func checkLockOfNothing(in Input, s *Statement, report Report) {
	at := placesOf(s)
	for _, l := range lockingReads(in.Catalog, s) {
		sources, subqueries := l.unlocked()
		for i, query := range append(sources, subqueries...) {
			t := readsTable(in.Catalog, query)
			if t != nil && t.Version == nil && i >= len(sources) {
				continue // a look-up in a table that nobody decides by
			}
			if t != nil && !locksRows(query) {
				report(s.Source, at.lock(l.refs[0]), fmt.Sprintf("this lock does not reach into the query within: the rows of %s are read without "+
					"one", t.Name), "write the locking clause into the SELECT that reads "+t.Name)
				break
			}
		}
	}
	if s.Node == nil {
		return
	}
	inspect(s.Node, func(n ast.Node) bool {
		if list, ok := n.(*ast.SetOprSelectList); ok {
			checkArms(in.Catalog, s, list.Selects, report)
		}
		return true
	})
}

// checkArms looks at the sides of a UNION, of which each has a locking clause of its own or none.
func checkArms(c *Catalog, s *Statement, arms []ast.Node, report Report) {
	locked := slices.IndexFunc(arms, locksRows)
	if locked < 0 {
		return
	}
	for _, arm := range arms {
		if t := readsTable(c, arm); t != nil && !locksRows(arm) {
			span := s.Span
			if refs := newScope(c, withQueries{}, lockingSelect(arms[locked]).From, nil).refs; len(refs) > 0 {
				span = placesOf(s).lock(refs[0])
			}
			report(s.Source, span, fmt.Sprintf("this locks rows of its own SELECT only: those of %s, on another side of the UNION, are "+
				"read without a lock", t.Name), "write the locking clause into each SELECT, in brackets")
			return
		}
	}
}

// unlocked are the queries that a locking read has in it: what it reads from, and subqueries. With OF it says itself
// which of them it means.
func (r *lockingRead) unlocked() (sources, subqueries []ast.Node) {
	for _, of := range r.locked {
		if of.query != nil {
			sources = append(sources, of.query)
		}
	}
	if r.names || len(r.refs) == 0 {
		return sources, nil
	}
	inspect(r.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SubqueryExpr:
			subqueries = append(subqueries, n.Query)
			return false
		case *ast.WithClause:
			return false
		case *ast.TableSource:
			_, isSelect := n.Source.(*ast.SelectStmt)
			_, isUnion := n.Source.(*ast.SetOprStmt)
			return !isSelect && !isUnion
		}
		return true
	})
	return sources, subqueries
}

// readsTable returns a table of the catalogue that a query reads, nil if it reads none.
func readsTable(c *Catalog, query ast.Node) *Table {
	for _, n := range tablesOf(c, query).named {
		if n.table != nil {
			return n.table
		}
	}
	return nil
}

// locksRows reports whether there is a locking clause anywhere in a query.
func locksRows(query ast.Node) bool { return lockingSelect(query) != nil }

// lockingSelect returns the first SELECT with a locking clause in a query, nil if there is none.
func lockingSelect(query ast.Node) *ast.SelectStmt {
	var found *ast.SelectStmt
	inspect(query, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectStmt); ok && found == nil && len(lockInfos(s)) > 0 {
			found = s
		}
		return found == nil
	})
	return found
}
