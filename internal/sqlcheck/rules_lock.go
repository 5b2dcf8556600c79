package sqlcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// lockRules are the rules about statements that lock rows.
var lockRules = []Rule{
	{
		ID:    "CAS007",
		Title: "lock without a usable index",
		Why: "InnoDB locks the rows that a statement reads, not only those that match. Where no condition is on the leading " +
			"column of an index, it reads and locks all rows of the table and the gaps between them, until the transaction ends: " +
			"every other writer waits. A function or arithmetic around the column, a comparison of text with a number, and OR " +
			"with a branch that has no index of its own make an index useless.",
		Mend: "Name the rows by the primary key or by the leading column of an index, or add an index.",
		Bad: `-- name: GetAccountsForUpdate :many
SELECT id, owner, balance, version FROM account
WHERE owner = sqlc.arg(owner)
ORDER BY id
FOR UPDATE;`,
		Good: `-- name: GetAccountForUpdate :one
SELECT id, owner, balance, version FROM account
WHERE id = sqlc.arg(id)
FOR UPDATE;`,
		Lang:      "sql",
		statement: checkIndex,
	},
	{
		ID:    "CAS008",
		Title: "locking read outside a transaction",
		Why: "A row lock is held until the transaction ends. On *sql.DB each statement is a transaction of its own, so that the lock " +
			"of FOR UPDATE is gone before the call returns and what follows is not protected by it. What a call runs on is followed through " +
			"variables, fields, embedded fields, parameters and New of generated code, and reported if all that the packages looked at give " +
			"it is a *sql.DB. Nothing is reported where one of them gives a *sql.Tx, a *sql.Conn or WithTx, or where a value comes from what " +
			"is not followed: the result of a function of your own, a slice, a map or a channel, the parameter of a closure, of a function " +
			"that is used as a value or of a method that is called through an interface, a field or variable whose address is taken, a type " +
			"with methods of its own around a *sql.DB, gorm. What reflection sets, and what tests and packages give that are not looked at, " +
			"is not seen. Locking reads of which nobody knows what they run on are counted, and vet -v lists them.",
		Mend: "Run the locking read on the *sql.Tx that the writes run on: inside of pessimistic.Store or optimistic.UpdateTx, or on " +
			"q.WithTx(tx).",
		Bad: `acct, err := shop.New(db).GetAccountForUpdate(ctx, id)`,
		Good: `err := optimistic.UpdateTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
	acct, err := shop.New(tx).GetAccountForUpdate(ctx, id)
	...
})`,
		Lang: "go",
	},
	{
		ID:    "CAS009",
		Title: "multi-row lock without order",
		Why: "A locking read of several rows locks them one after the other, in the order in which it meets them. Two that meet the " +
			"same rows in different orders wait for each other: a deadlock, and one of them is rolled back.",
		Mend: "Lock in one order everywhere: ORDER BY the primary key before FOR UPDATE. A queue that takes any free rows says SKIP " +
			"LOCKED instead.",
		Bad: `-- name: GetAccountsForUpdate :many
SELECT id, owner, balance, version FROM account
WHERE id IN (sqlc.slice('ids'))
FOR UPDATE;`,
		Good: `-- name: GetAccountsForUpdate :many
SELECT id, owner, balance, version FROM account
WHERE id IN (sqlc.slice('ids'))
ORDER BY id
FOR UPDATE;`,
		Lang:      "sql",
		statement: checkOrder,
	},
	{
		ID:    "CAS010",
		Title: "user variable",
		Why: "On MySQL @name is no parameter: it is a variable of the session, NULL until something sets it. sqlc generates a method " +
			"without an argument for it, which writes NULL or matches nothing; and of SET x = (@v := balance - ?) it loses the " +
			"parameter. Over a pool the variable is another one on each connection.",
		Mend: "Write sqlc.arg(name) or ?, and compute in Go or in one expression.",
		Bad: `-- name: DeleteAccount :execrows
DELETE FROM account WHERE id = @id AND version = @version;`,
		Good: `-- name: DeleteAccount :execrows
DELETE FROM account WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);`,
		Lang:      "sql",
		statement: checkVariable,
	},
	lockOfNothing,
}

func checkIndex(in Input, s *Statement, report Report) {
	at := placesOf(s)
	w := writeOf(in.Catalog, s)
	if w != nil && !takesFromIndex(w.scope, w.limit, w.order, w.column) {
		for _, r := range w.scanned(w.targets) {
			report(s.Source, at.where(w.scope, r), noIndex(w.verb(), w.scope, r), nameRows(r))
		}
	}
	for _, l := range lockingReads(in.Catalog, s) {
		byField := func(e ast.ExprNode) (*ref, string) { return l.orderColumn(&ast.ByItem{Expr: e}) }
		if takesFromIndex(l.scope, l.node.Limit, l.node.OrderBy, byField) {
			continue
		}
		for _, r := range l.scanned(l.locked) {
			report(s.Source, at.where(l.scope, r), noIndex("the locking read", l.scope, r), nameRows(r))
		}
	}
}

func noIndex(what string, sc *scope, r *ref) string {
	if len(sc.conds) == 0 {
		return fmt.Sprintf("%s of %s has no condition: InnoDB locks every row", what, r.table.Name)
	}
	return fmt.Sprintf("no condition of %s is on the leading column of an index of %s: InnoDB locks every row", what,
		r.table.Name)
}

func nameRows(r *ref) string {
	if len(r.table.Primary) == 0 {
		return fmt.Sprintf("give %s a primary key and name the rows by it, or add an index", r.table.Name)
	}
	return fmt.Sprintf("name the rows by %s or by the leading column of another index, or add an index", r.table.Primary[0])
}

// takesFromIndex reports whether a statement takes the first rows of an index and reads no others: a LIMIT,
// an order by an index's leading column, and no condition that would make it read on.
func takesFromIndex(
	sc *scope, limit *ast.Limit, order *ast.OrderByClause, column func(ast.ExprNode) (*ref, string),
) bool {
	if sc.where != nil || len(sc.refs) != 1 || limit == nil || order == nil {
		return false
	}
	r, name := column(order.Items[0].Expr)
	return r != nil && r.table != nil && r.table.leads(name)
}

func checkOrder(in Input, s *Statement, report Report) {
	at := placesOf(s)
	for _, l := range lockingReads(in.Catalog, s) {
		if l.skips || isOne(l.node.Limit) || l.isAggregate() {
			continue
		}
		rows := slices.DeleteFunc(l.several(l.locked), func(r *ref) bool { return r.table.base != nil })
		if len(rows) == 0 || slices.ContainsFunc(rows, l.takesInOrder) {
			continue
		}
		r := rows[0]
		span := at.lock(r)
		message := fmt.Sprintf("this locks several rows of %s in no fixed order: two such reads can deadlock", r.table.Name)
		if order := l.node.OrderBy; order != nil {
			// Where the 2 of ORDER BY 2 is, the parser does not say.
			if first := order.Items[0].Expr; first.OriginTextPosition() > 0 {
				span = at.expr(first)
			}
			message = fmt.Sprintf("this order is not that of a unique key of %s: two such reads can lock rows in different "+
				"orders and deadlock", r.table.Name)
		}
		mend := "add ORDER BY with all columns of a unique key, in one direction"
		if len(r.table.Primary) > 0 {
			mend = fmt.Sprintf("add ORDER BY %s", strings.Join(r.table.Primary, ", "))
		}
		report(s.Source, span, message, mend)
	}
}

func checkVariable(in Input, s *Statement, report Report) {
	at := placesOf(s)
	if s.Node == nil || s.Query == nil && !writesOrLocks(in.Catalog, s) {
		return
	}
	mend := "write ?, and compute in Go or in one expression"
	if s.Query != nil {
		mend = "write sqlc.arg(name) or ?, and compute in Go or in one expression"
	}
	inspect(s.Node, func(n ast.Node) bool {
		if v, ok := n.(*ast.VariableExpr); ok && !v.IsSystem {
			report(s.Source, at.expr(v), fmt.Sprintf("@%s is a variable of the session, not a parameter", v.Name), mend)
		}
		return true
	})
}

func writesOrLocks(c *Catalog, s *Statement) bool {
	switch s.Node.(type) {
	case *ast.UpdateStmt, *ast.DeleteStmt, *ast.InsertStmt:
		return true
	}
	return len(lockingReads(c, s)) > 0
}
