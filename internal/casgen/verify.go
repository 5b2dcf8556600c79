package casgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// need is what a verb asks of its query.
type need struct {
	verb     string
	kind     string
	commands []string
	lock     ast.SelectLockType
	optional bool // a descriptor does without it
}

// needs are the verbs that `-- @cas` takes before the name of a descriptor. A verb that begins with another is
// before it.
var needs = []need{
	{verb: "get", kind: "select", commands: []string{"one"}},
	{verb: "lock skip locked", kind: "select", commands: []string{"one"}, lock: ast.SelectLockForUpdateSkipLocked},
	{verb: "lock nowait", kind: "select", commands: []string{"one"}, lock: ast.SelectLockForUpdateNoWait},
	{verb: "lock", kind: "select", commands: []string{"one"}, lock: ast.SelectLockForUpdate},
	{verb: "swap", kind: "update", commands: []string{"execrows"}},
	{verb: "touch", kind: "update", commands: []string{"execrows"}, optional: true},
	{verb: "delete", kind: "delete", commands: []string{"execrows"}, optional: true},
	{verb: "insert", kind: "insert", commands: []string{"exec", "execlastid"}, optional: true},
}

const mendQueries = "run `sqlcas queries`, which writes the queries of all descriptors anew"

// match finds the queries of each descriptor, and says which of them do not fit. Statements that a rule has
// found already are left alone: two reasons for one fault help nobody.
func (g *generator) match(statements []*sqlcheck.Statement, known []sqlcheck.Finding) []sqlcheck.Finding {
	var findings []sqlcheck.Finding
	for _, s := range statements {
		if s.Query == nil || faulty(s, known) {
			continue
		}
		message, mend := g.counted(s)
		rule := ruleLost
		if message == "" {
			rule = optionRule
			message, mend = g.hiding(s)
		}
		if message == "" && s.Query.Marked {
			rule = ruleQuery
			message, mend = g.marked(s)
		}
		if message != "" {
			findings = append(findings, s.Source.At(rule, s.Query.Span, message, mend))
		}
	}
	if len(findings) > 0 || len(known) > 0 {
		return findings // what has been refused is not missing
	}
	if missing := g.missing(); len(missing) > 0 {
		return missing
	}
	return g.collisions()
}

// faulty reports whether a rule has found something in a statement or its head.
func faulty(s *sqlcheck.Statement, known []sqlcheck.Finding) bool {
	first := s.Source.At("", s.Query.Span, "", "").Line
	last := s.Source.At("", sqlcheck.Span{Start: s.Span.End, End: s.Span.End}, "", "").Line
	return slices.ContainsFunc(known, func(f sqlcheck.Finding) bool {
		return f.File == s.Source.Name && f.Line >= first && f.Line <= last
	})
}

// counted compares the parameters that are written with those that sqlc has found.
func (g *generator) counted(s *sqlcheck.Statement) (message, mend string) {
	q := g.request.query(s.Query.Name)
	if q == nil {
		return fmt.Sprintf("sqlc has no query %s: it has dropped it without a word", s.Query.Name),
			"take it out of the file, or write it as a statement that sqlc knows"
	}
	if written := len(s.Params()); written != len(q.Params) {
		return fmt.Sprintf("query %s has %d parameters, and sqlc makes a method with %d of it",
				s.Query.Name, written, len(q.Params)),
			"write each parameter where it is compared with, or assigned to, one column"
	}
	return "", ""
}

// marked takes a query that is marked @cas into its descriptor, or says why it cannot be.
func (g *generator) marked(s *sqlcheck.Statement) (message, mend string) {
	q := g.request.query(s.Query.Name)
	if s.Query.CAS == "" {
		return g.checked(s, q)
	}
	n, name, ok := verbOf(s.Query.CAS)
	switch {
	case !ok:
		return fmt.Sprintf("query %s is marked @cas %s, which is none of get, lock, lock nowait, lock skip locked, "+
				"swap, touch, delete and insert with the name of a descriptor", s.Query.Name, s.Query.CAS),
			"write `-- @cas` alone for an UPDATE or DELETE of your own, `-- @cas lock` for a locking read"
	case name == "" && n.lock != ast.SelectLockNone:
		return g.locking(s, q)
	}
	i := slices.IndexFunc(g.tables, func(p *tablePlan) bool { return p.Name == name })
	if i < 0 {
		return fmt.Sprintf("query %s is marked @cas %s, and no versioned table has a descriptor %q",
			s.Query.Name, s.Query.CAS, name), mendQueries + "; delete the file of a table that is gone"
	}
	p := g.tables[i]
	if p.queries[n.verb] != nil {
		return fmt.Sprintf("query %s is marked @cas %s, as %s is", s.Query.Name, s.Query.CAS, p.queries[n.verb].Name),
			"take the mark from one of them"
	}
	sh := shapeOf(s, p.Table)
	fault := p.misfit(n, s.Query.Command, sh)
	if fault == "" {
		fault = g.sharedName(sh.slots)
	}
	if fault == "" && len(sh.slots) != len(q.Params) {
		fault = "it has a parameter for something else than a column"
	}
	if fault != "" {
		return fmt.Sprintf("query %s is no %s of %s: %s", s.Query.Name, n.verb, p.Name, fault), mendQueries
	}
	p.queries[n.verb] = &call{q, sh.slots}
	if n.verb == "touch" || n.verb == "delete" {
		g.checks = append(g.checks, &checkedWrite{p.queries[n.verb], p})
	}
	return "", ""
}

// verbOf splits "lock nowait Stock".
func verbOf(mark string) (n need, name string, ok bool) {
	mark = strings.Join(strings.Fields(mark), " ")
	for _, n := range needs {
		rest, ok := strings.CutPrefix(mark, n.verb)
		if rest = strings.TrimPrefix(rest, " "); ok && !strings.Contains(rest, " ") {
			return n, rest, n.verb+" "+rest == mark || rest == "" && n.verb == mark
		}
	}
	return need{}, "", false
}

// misfit says what a query has that its descriptor has not, or lacks.
func (p *tablePlan) misfit(n need, command string, sh shape) string {
	read, set, where := []string(nil), []string(nil), p.Table.Primary
	switch n.verb {
	case "swap":
		set = names(p.Write)
	case "insert":
		set, where = names(p.inserted()), nil
	}
	if n.kind == "select" {
		read = names(p.Read)
	} else if n.verb != "insert" {
		where = append(slices.Clip(slices.Clone(where)), p.Table.Version.Name)
	}
	switch {
	case !slices.Contains(n.commands, command):
		return fmt.Sprintf("it is :%s and not :%s", command, strings.Join(n.commands, " or :"))
	case sh.kind != n.kind:
		return "it is not " + strings.ToUpper(n.kind)
	case sh.odd != "":
		return "it has " + sh.odd
	case !strings.EqualFold(sh.table, p.Table.Name):
		return fmt.Sprintf("its table is %s and not %s", sh.table, p.Table.Name)
	case !sameNames(sh.read, read):
		return fmt.Sprintf("it reads %s, and the descriptor %s", enumerate(sh.read), enumerate(read))
	case !sameNames(sh.set, set):
		return fmt.Sprintf("it writes %s, and the descriptor %s", enumerate(sh.set), enumerate(set))
	case n.kind == "update" && !strings.EqualFold(sh.moves, p.Table.Version.Name):
		return "it does not move " + p.Table.Version.Name
	case n.verb == "swap" && !sh.steps:
		return fmt.Sprintf("it moves %s by a number and not by a parameter", p.Table.Version.Name)
	case n.verb == "touch" && sh.steps:
		return fmt.Sprintf("it moves %s by a parameter, which may be 0, and not by a number", p.Table.Version.Name)
	case !sameSet(sh.where, where):
		return fmt.Sprintf("its WHERE names %s, and the descriptor %s", enumerate(sh.where), enumerate(where))
	case sh.lock != n.lock:
		return "its locking clause is another"
	}
	return ""
}

// inserted are the columns that INSERT names, the version aside.
func (p *tablePlan) inserted() []*sqlcheck.Column {
	var columns []*sqlcheck.Column
	for _, c := range p.Read {
		if c != p.Table.Version && p.inserts(c) {
			columns = append(columns, c)
		}
	}
	return columns
}

// checked takes an UPDATE or DELETE that was written by hand.
func (g *generator) checked(s *sqlcheck.Statement, q *compiled) (message, mend string) {
	sh := whereOf(s)
	i := slices.IndexFunc(g.tables, func(p *tablePlan) bool {
		return p.base == p && strings.EqualFold(p.Table.Name, sh.table)
	})
	switch {
	case sh.odd == "" && i < 0:
		return fmt.Sprintf("query %s is marked @cas, and %s is no versioned table", s.Query.Name, sh.table),
			"take the mark away, or give the table a version"
	case s.Query.Command != "execrows":
		return fmt.Sprintf("query %s is marked @cas and is :%s, so that nobody can see whether it won", s.Query.Name, s.Query.Command),
			"make it :execrows"
	case sh.odd != "" || !sameSet(sh.where, append(names(g.tables[i].Key), g.tables[i].Table.Version.Name)):
		fault := sh.odd
		if fault == "" {
			fault = "a WHERE of " + enumerate(sh.where)
		}
		return fmt.Sprintf("query %s is marked @cas and has %s: 0 rows would not mean a conflict", s.Query.Name, fault),
			"let WHERE compare the whole key and the version with parameters (? or sqlc.arg), and nothing else, or take the mark away"
	}
	version := g.tables[i].Table.Version.Name
	if n, ok := s.Node.(*ast.UpdateStmt); ok && !movesByNumber(n, version) {
		return fmt.Sprintf("query %s is marked @cas and does not move %s by a number above 0 (a parameter may be 0): nobody would see "+
			"that it has written", s.Query.Name, version), fmt.Sprintf("write %s = %s + 1", version, version)
	}
	if shared := g.sharedName(append(assigned(s.Node), sh.slots...)); shared != "" {
		return fmt.Sprintf("query %s is marked @cas, and %s", s.Query.Name, shared), "give each a parameter of its own"
	}
	other := len(q.Params) - len(sh.slots)
	if other < 0 {
		return fmt.Sprintf("sqlc has lost parameters of query %s", s.Query.Name), "write each beside one column"
	}
	g.checks = append(g.checks, &checkedWrite{&call{q, append(make([]slot, other), sh.slots...)}, g.tables[i]})
	return "", ""
}

// locking takes a locking read that was written by hand.
func (g *generator) locking(s *sqlcheck.Statement, q *compiled) (message, mend string) {
	n, ok := s.Node.(*ast.SelectStmt)
	if !ok || n.LockInfo == nil || n.LockInfo.LockType == ast.SelectLockNone {
		return fmt.Sprintf("query %s is marked @cas lock and locks nothing", s.Query.Name),
			"add FOR UPDATE, or take the mark away"
	}
	if !slices.Contains([]string{"one", "many", "exec"}, s.Query.Command) {
		return fmt.Sprintf("query %s is marked @cas lock and is :%s", s.Query.Name, s.Query.Command), "make it :one or :many"
	}
	g.locks = append(g.locks, &lockedRead{q})
	return "", ""
}

// missing says which queries the descriptors lack.
func (g *generator) missing() []sqlcheck.Finding {
	var findings []sqlcheck.Finding
	for _, p := range g.tables {
		for _, n := range needs {
			wanted := !n.optional || n.verb == "insert" && p.Upsert
			if wanted && p.queries[n.verb] == nil {
				findings = append(findings, p.Table.Source.At(ruleQuery, p.Table.Span,
					fmt.Sprintf("no query is marked @cas %s %s", n.verb, p.Name), mendQueries))
				break
			}
		}
	}
	return findings
}

func names(columns []*sqlcheck.Column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}

// sameSet compares columns in whatever order.
func sameSet(a, b []string) bool {
	fold := func(s []string) []string {
		var folded []string
		for _, n := range s {
			folded = append(folded, strings.ToLower(n))
		}
		slices.Sort(folded)
		return folded
	}
	return slices.Equal(fold(a), fold(b))
}
