package casgen

import (
	"fmt"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// query is one kind of query that a descriptor has.
type query struct {
	prefix, suffix string // of its name, around the descriptor's
	command        string // sqlc's
	cas            string // what the @cas comment calls it
	doc            func(d Descriptor, n Naming) string
	sql            func(d Descriptor, n Naming) string
}

// queriesOf returns a descriptor's queries. A narrow one has no Insert, which needs all columns, and no Touch,
// which would be that of the table's own.
func queriesOf(d Descriptor) []query {
	all := []query{
		{"Get", "", "one", "get", docGet, selectSQL("")},
		{"Get", "ForUpdate", "one", "lock", docLock, selectSQL("FOR UPDATE")},
		{"Get", "ForUpdateNoWait", "one", "lock nowait", docLockNoWait, selectSQL("FOR UPDATE NOWAIT")},
		{"Get", "ForUpdateSkipLocked", "one", "lock skip locked", docLockSkipLocked, selectSQL("FOR UPDATE SKIP LOCKED")},
		{"Swap", "", "execrows", "swap", docSwap, swapSQL},
		{"Delete", "", "execrows", "delete", docDelete, deleteSQL},
	}
	if d.Narrow {
		return all
	}
	all = append(all, query{"Touch", "", "execrows", "touch", docTouch, touchSQL})
	if d.assignsKey() {
		return append(all, query{"Insert", "", "execlastid", "insert", docInsertID, insertSQL})
	}
	return append(all, query{"Insert", "", "exec", "insert", docInsert, insertSQL})
}

func (q query) name(d Descriptor) string { return q.prefix + d.Name + q.suffix }

// text is the query as it is in the file.
func (q query) text(d Descriptor, n Naming) string {
	var out strings.Builder
	fmt.Fprintf(&out, "-- name: %s :%s\n", q.name(d), q.command)
	for _, line := range wrap(q.doc(d, n)) {
		out.WriteString("-- " + line + "\n")
	}
	fmt.Fprintf(&out, "--\n-- @cas %s %s\n%s;\n", q.cas, d.Name, q.sql(d, n))
	return out.String()
}

func selectSQL(lock string) func(d Descriptor, n Naming) string {
	return func(d Descriptor, n Naming) string {
		var names []string
		for _, c := range d.Read {
			names = append(names, quoted(c.Name))
		}
		sql := listed("SELECT ", names, commas, "") + "\nFROM " + quoted(d.Table.Name) + "\n" + whereAll(keyTerms(d, n))
		if lock != "" {
			sql += "\n" + lock
		}
		return sql
	}
}

func swapSQL(d Descriptor, n Naming) string {
	var sets []string
	for _, c := range d.Write {
		sets = append(sets, equals(d, c, n))
	}
	version := quoted(d.Table.Version.Name)
	sets = append(sets, version+" = "+version+" + "+argument(n.Steps(d)))
	return updateSQL(d, n, sets)
}

func touchSQL(d Descriptor, n Naming) string {
	version := quoted(d.Table.Version.Name)
	return updateSQL(d, n, []string{version + " = " + version + " + 1"})
}

func updateSQL(d Descriptor, n Naming, sets []string) string {
	return "UPDATE " + quoted(d.Table.Name) + "\n" + listed("SET ", sets, commas, "") + "\n" + whereUnmoved(d, n)
}

func deleteSQL(d Descriptor, n Naming) string {
	return "DELETE FROM " + quoted(d.Table.Name) + "\n" + whereUnmoved(d, n)
}

// insertSQL leaves the version to its DEFAULT where it has one.
func insertSQL(d Descriptor, n Naming) string {
	var names, values []string
	for _, c := range d.Read {
		switch {
		case c == d.Table.Version && c.Default != "", c != d.Table.Version && !d.inserts(c):
			continue
		case c == d.Table.Version && d.Zero:
			values = append(values, "0")
		case c == d.Table.Version:
			values = append(values, "1")
		default:
			values = append(values, argument(n.Parameter(d, c)))
		}
		names = append(names, quoted(c.Name))
	}
	return listed("INSERT INTO "+quoted(d.Table.Name)+" (", names, commas, ")") + "\n" + listed("VALUES (", values, commas, ")")
}

// whereUnmoved is true for the row if it is still as it was read.
func whereUnmoved(d Descriptor, n Naming) string {
	return whereAll(append(keyTerms(d, n), equals(d, d.Table.Version, n)))
}

func whereAll(terms []string) string { return listed("WHERE ", terms, ands, "") }

func keyTerms(d Descriptor, n Naming) []string {
	var terms []string
	for _, c := range d.Key {
		terms = append(terms, equals(d, c, n))
	}
	return terms
}

func equals(d Descriptor, c *sqlcheck.Column, n Naming) string {
	return quoted(c.Name) + " = " + argument(n.Parameter(d, c))
}

// commas and ands are what is between the items of a list: on one line, and where a line ends.
var (
	commas = [2]string{", ", ",\n    "}
	ands   = [2]string{" AND ", "\n    AND "}
)

// listed is a list between two texts, on as many lines as it takes.
func listed(before string, items []string, between [2]string, after string) string {
	const width = 110
	out, at := before, len(before)
	for i, item := range items {
		if i > 0 {
			gap := between[0]
			if at+len(gap)+len(item) > width {
				gap, at = between[1], 0
			}
			out += gap
			at += len(gap)
		}
		out += item
		at += len(item)
	}
	return out + after
}
