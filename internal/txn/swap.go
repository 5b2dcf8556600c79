package txn

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/witness"
)

// swap is an UPDATE of the form
//
//	UPDATE t SET ..., v = v + 1, ... WHERE k = ? AND v = ? [AND c >= ? ...]
//
// As long as a row still satisfies its predicate, it has not been applied: it would have moved v.
type swap struct {
	schema, table string // bare names; schema may be empty
	version       string
	terms         []term
	assigned      map[string]bool // columns in lower case; true for those moved upward
}

// term is one comparison of the predicate.
type term struct {
	column string
	op     string
	value  driver.Value // nil where literal is set
	text   string       // a literal of the statement, as it stands there
}

// parser walks the tokens of one statement. Its methods report whether they found what they are
// named after.
type parser struct {
	tokens []token
	args   []driver.Value
}

// parseSwap recognises a swap. It is deliberately narrow: an unrecognised statement costs an
// "outcome unknown", a wrongly recognised one would cost money. So no OR, no functions, no
// subqueries, no joins and no aliases in what decides.
func parseSwap(w witness.Write) (swap, bool) {
	p := &parser{tokens: tokenize(w.Query), args: w.Args}
	for _, t := range p.tokens {
		if t.kind == broken {
			return swap{}, false
		}
	}
	var s swap
	if !p.word("UPDATE") || !p.tableName(&s) || !p.word("SET") {
		return swap{}, false
	}
	moved, ok := p.assignments()
	if !ok || !p.conditions(&s) || len(p.args) != 0 {
		return swap{}, false
	}
	s.assigned = moved
	for _, t := range s.terms {
		if t.op == "=" && moved[strings.ToLower(t.column)] && t.isInteger() {
			s.version = t.column
			return s, !s.spoils(s)
		}
	}
	return swap{}, false
}

// LostSwapError is the abort cause of a swap that affected no row and was not noticed.
type LostSwapError struct{ Query string }

// Error names the statement and the mend.
func (e *LostSwapError) Error() string {
	return fmt.Sprintf("%q affected no row and the closure returned nil: return One's error for its row count", e.Query)
}

// lostSwap finds a swap that affected no row, as an error, unless a later one has changed that row,
// by which the closure shows that it knows. A comparison of the version alone names no row, and is
// no swap that could be lost.
func lostSwap(writes []witness.Write) error {
	for i, w := range writes {
		if w.Affected != 0 {
			continue
		}
		lost, ok := parseSwap(w)
		if !ok || len(lost.key()) == 0 {
			continue
		}
		again := slices.ContainsFunc(writes[i+1:], func(w witness.Write) bool {
			s, ok := parseSwap(w)
			return ok && w.Affected == 1 && s.covers(lost)
		})
		if !again {
			return &LostSwapError{Query: strings.Join(strings.Fields(w.Query), " ")}
		}
	}
	return nil
}

// key returns what names the row: the equalities other than the version's, columns in lower case.
func (s swap) key() []term {
	var key []term
	for _, t := range s.terms {
		if t.op == "=" && !strings.EqualFold(t.column, s.version) {
			t.column = strings.ToLower(t.column)
			key = append(key, t)
		}
	}
	return key
}

// covers reports whether s names other's row, perhaps among others, whatever its version.
func (s swap) covers(other swap) bool {
	key, others := s.key(), other.key()
	missing := slices.ContainsFunc(key, func(t term) bool {
		return !slices.ContainsFunc(others, func(o term) bool { return reflect.DeepEqual(t, o) })
	})
	return strings.EqualFold(s.table, other.table) && len(key) > 0 && !missing
}

// spoils reports whether s may have given another row, or the same one, what other's predicate asks
// for: it assigns a column that names other's row, or moves other's version by anything but an
// increment.
func (s swap) spoils(other swap) bool {
	if !strings.EqualFold(s.table, other.table) {
		return false
	}
	for _, t := range other.terms {
		up, assigned := s.assigned[strings.ToLower(t.column)]
		isVersion := strings.EqualFold(t.column, other.version)
		if t.op == "=" && assigned && !(isVersion && up) {
			return true
		}
	}
	return false
}

func (p *parser) peek(i int) token {
	if i < len(p.tokens) {
		return p.tokens[i]
	}
	return token{kind: symbol}
}

func (p *parser) take() token {
	t := p.peek(0)
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) word(text string) bool { return p.take().is(text) }

func (p *parser) arg() (driver.Value, bool) {
	if len(p.args) == 0 {
		return nil, false
	}
	v := p.args[0]
	p.args = p.args[1:]
	return v, true
}

func (p *parser) tableName(s *swap) bool {
	name, ok := p.take().name()
	if ok && p.peek(0).is(".") {
		p.take()
		s.schema = name
		name, ok = p.take().name()
	}
	s.table = name
	return ok
}

// column takes a column's name; a table's name before it is dropped, there being only one table.
func (p *parser) column() (string, bool) {
	name, ok := p.take().name()
	for ok && p.peek(0).is(".") {
		p.take()
		name, ok = p.take().name()
	}
	return name, ok
}

// assignments reads the SET list up to and including WHERE, and returns the columns, in lower
// case, that it assigns to; true for those that it moves upward from their own value. A column
// assigned to twice could be moved back, and is refused.
func (p *parser) assignments() (map[string]bool, bool) {
	moved := map[string]bool{}
	for {
		column, ok := p.column()
		if !ok || !p.word("=") {
			return nil, false
		}
		name := strings.ToLower(column)
		if _, twice := moved[name]; twice {
			return nil, false
		}
		moved[name] = p.increments(column)
		sep, ok := p.skipExpression()
		if !ok {
			return nil, false
		}
		if sep.is("WHERE") {
			return moved, true
		}
	}
}

// increments looks ahead for "column + n" with n >= 1 as the whole expression.
func (p *parser) increments(column string) bool {
	q := &parser{tokens: p.tokens, args: p.args}
	name, ok := q.column()
	if !ok || !strings.EqualFold(name, column) || !q.word("+") {
		return false
	}
	switch t := q.take(); t.kind {
	case number:
		if strings.Trim(t.text, "0") == "" {
			return false
		}
	case param:
		if v, ok := q.arg(); !ok || !positive(v) {
			return false
		}
	default:
		return false
	}
	return q.peek(0).is(",") || q.peek(0).is("WHERE")
}

// isInteger reports whether the term compares with an integer, as a version does.
func (t term) isInteger() bool {
	switch t.value.(type) {
	case int64, uint64:
		return true
	}
	return t.text != "" && t.text[0] != '\''
}

func positive(v driver.Value) bool {
	switch n := v.(type) {
	case int64:
		return n > 0
	case uint64:
		return n > 0
	}
	return false
}

// skipExpression drops an expression with its parameters, and returns the comma or WHERE behind it.
func (p *parser) skipExpression() (token, bool) {
	for depth := 0; len(p.tokens) > 0; {
		t := p.take()
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is("SELECT"):
			return t, false
		case t.kind == param:
			if _, ok := p.arg(); !ok {
				return t, false
			}
		case depth == 0 && (t.is(",") || t.is("WHERE")):
			return t, true
		}
	}
	return token{}, false
}

// conditions reads comparisons joined by AND to the end of the statement. Brackets around them
// mean nothing where there is only AND.
func (p *parser) conditions(s *swap) bool {
	for {
		for p.peek(0).is("(") {
			p.take()
		}
		t, ok := p.comparison()
		if !ok {
			return false
		}
		s.terms = append(s.terms, t)
		for p.peek(0).is(")") || p.peek(0).is(";") {
			p.take()
		}
		if len(p.tokens) == 0 {
			return true
		}
		if !p.word("AND") {
			return false
		}
	}
}

func (p *parser) comparison() (term, bool) {
	column, ok := p.column()
	if !ok {
		return term{}, false
	}
	t := term{column: column}
	switch op := p.take(); op.text {
	case "=", "<", ">", "<=", ">=", "<>", "!=":
		t.op = op.text
	default:
		return term{}, false
	}
	switch v := p.take(); v.kind {
	case param:
		t.value, ok = p.arg()
		return t, ok && t.value != nil
	case number, literal:
		t.text = v.text
		return t, true // what may follow is for conditions to judge
	}
	return term{}, false
}
