package casgen

import (
	"fmt"
	"slices"
	"strings"
)

// renderLock writes the locking read of a descriptor. It takes a *sql.Tx: outside of a transaction the lock
// would be gone before the call returns, and there it does not compile.
func (g *generator) renderLock(p *tablePlan, row, key string) {
	g.doc("Lock%s reads a row of %s and keeps its lock until tx ends; wait says what it does when somebody else has the lock. "+
		"It is sql.ErrNoRows if there is no such row.", p.Name, p.Table.Name)
	g.printf(`func Lock%s(ctx context.Context, tx *sql.Tx, key %s, wait sqlcas.LockWait) (%s, error) {
	switch wait {
	case sqlcas.LockNoWait:
		%s	case sqlcas.LockSkipLocked:
		%s	}
	%s}

`,
		p.Name, key, row, g.read(p, p.queries["lock nowait"], "tx"),
		g.read(p, p.queries["lock skip locked"], "tx"), g.read(p, p.queries["lock"], "tx"))
}

// renderLocked writes a locking read that was written by hand, for a transaction alone.
func (g *generator) renderLocked(l *lockedRead) error {
	s, err := g.signatureOf(l.compiled, "ctx", "tx")
	if err != nil {
		return err
	}
	returned := "error"
	if l.Cmd != ":exec" {
		one, isStruct, err := g.result(l.compiled)
		if err != nil {
			return fmt.Errorf("query %s: %w", l.Name, err)
		}
		if isStruct && g.options.Go.EmitResultStructPointers {
			one = "*" + one
		}
		if l.Cmd == ":many" {
			one = "[]" + one
		}
		returned = "(" + one + ", error)"
	}
	g.doc("%sInTx is %s in a transaction, which is what keeps its locks.", l.Name, l.Name)
	g.printf("func %sInTx(%s) %s {\nreturn %s\n}\n\n", l.Name,
		strings.Join(append([]string{"ctx context.Context", "tx *sql.Tx"}, s.declared...), ", "), returned,
		g.passed(l.compiled, "New(tx)", "tx", s))
	return nil
}

// passed writes the call of a query's method with what a function of the same signature has been given.
func (g *generator) passed(q *compiled, on, db string, s signature) string {
	args := []string{"ctx"}
	if g.options.Go.EmitMethodsWithDBArgument {
		args = append(args, db)
		on = strings.Replace(on, "New("+db+")", "New()", 1)
	}
	return fmt.Sprintf("%s.%s(%s)", on, q.Name, strings.Join(append(args, s.passed...), ", "))
}

// renderChecked writes the method that tells a conflict of a compare-and-swap by its type.
func (g *generator) renderChecked(c *checkedWrite) error {
	s, err := g.signatureOf(c.compiled, "ctx", "db", "q", "affected", "err", "key", "copy", "max", "string", "uint64", "sqlcas")
	if err != nil {
		return err
	}
	declared := []string{"ctx context.Context"}
	if g.options.Go.EmitMethodsWithDBArgument {
		declared = append(declared, "db DBTX")
	}
	p := c.table
	of := func(column string) string {
		i := slices.IndexFunc(c.slots, func(s slot) bool { return s.role == roleWhere && strings.EqualFold(s.column, column) })
		return s.values[i]
	}
	g.doc("%sOrConflict is %s that fails with a *sqlcas.ConflictError, which is sqlcas.ErrConflict, when the row is "+
		"no longer at that version or is gone.", c.Name, c.Name)
	g.printf("func (q *Queries) %sOrConflict(%s) error {\n", c.Name, strings.Join(append(declared, s.declared...), ", "))
	g.printf("affected, err := %s\nif err == nil && affected == 0 {\n", g.passed(c.compiled, "q", "db", s))
	key := p.errorKey(of)
	if key == "key" {
		g.printf("var key %s\n", p.keyType())
		if len(p.key) > 1 {
			g.printf("%s", p.fillKey(func(part keyPart) string { return of(part.column.Name) }))
		} else {
			g.printf("copy(key[:], %s)\n", of(p.key[0].column.Name))
		}
	}
	g.printf("return &sqlcas.ConflictError{Table: %q, Key: %s, Expected: %s}\n}\nreturn sqlcas.One(affected, err)\n}\n\n",
		p.Table.Name, key, g.asVersion(p, of(p.Table.Version.Name)))
	return nil
}

// errorKey writes the key of a query's parameters: itself, or the variable key where it takes statements.
func (p *tablePlan) errorKey(of func(column string) string) string {
	if len(p.key) > 1 || p.key[0].form == keyArray {
		return "key"
	}
	value := of(p.key[0].column.Name)
	if p.key[0].form == keyText {
		return "string(" + value + ")"
	}
	return value
}

// asVersion writes a version of whatever type as uint64.
func (g *generator) asVersion(p *tablePlan, value string) string {
	t := g.columnType(p.Table, p.Table.Version)
	switch {
	case t.Text == "uint64":
		return value
	case !t.Signed:
		return "uint64(" + value + ")"
	}
	// A negative one was never counted up to, and is as good as none.
	return "uint64(max(" + value + ", 0))"
}

// renderUpsert writes the function that inserts a new row and swaps one that was read.
func (g *generator) renderUpsert(p *tablePlan) {
	insert := p.queries["insert"]
	row := g.rowType(p)
	version := p.Name + "Table.Version(row)"
	results := "err := "
	if insert.Cmd == ":execlastid" {
		results = "_, err := "
	}
	top := "1<<64 - 1"
	if bits := g.versionBits(p); bits < 64 {
		top = p.Name + "Table.Schema.Max"
	}
	g.doc("Upsert%s writes a row, whole. One with version 0, which was never read, is inserted, and inserted is true; if "+
		"there is one with its key by now, that is sqlcas.ErrConflict. Any other is swapped: if it is no longer at its version "+
		"or is gone, that is a *sqlcas.ConflictError.", p.Name)
	g.printf(`func Upsert%s(ctx context.Context, db sqlcas.DBTX, row %s) (inserted bool, err error) {
	switch version := %s; version {
	case 0:
		%s%s
		err = sqlcas.Inserted(err)
		return err == nil, err
	case %s:
		return false, sqlcas.ErrVersionOverflow
	default:
		affected, err := %sTable.Swap(ctx, db, row, 1)
		if err == nil && affected == 0 {
			return false, &sqlcas.ConflictError{Table: %q, Key: %sTable.Key(row), Expected: version}
		}
		return false, sqlcas.One(affected, err)
	}
}

`, p.Name, row, version, results, g.write(p, insert, ""), top, p.Name, p.Table.Name, p.Name)
}
