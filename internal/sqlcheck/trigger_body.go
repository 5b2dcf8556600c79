package sqlcheck

import (
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// step is one plain statement of a trigger's body, with what holds when it runs.
type step struct {
	text   string // the body
	tokens []token
	guards []guard
}

// guard is a condition of an IF around a step.
type guard struct {
	condition string
	negated   bool // the step is in the ELSE branch
}

// bodySteps takes a trigger's body apart into its plain statements. It follows IF, the one block that says
// what holds inside of it; of the others it knows that they open and close.
func bodySteps(body string) []step {
	w := walker{text: body, tokens: scanTokens(body)}
	for w.at < len(w.tokens) {
		w.next()
	}
	return w.steps
}

type walker struct {
	text   string
	tokens []token
	at     int
	blocks []block
	steps  []step
}

// block is an open block. Only that of an IF has guards.
type block struct{ guards []guard }

// next takes what begins a statement: a block's word, or a whole plain statement.
func (w *walker) next() {
	t := w.tokens[w.at]
	switch {
	case w.is(t, ";", "THEN", "DO", "ATOMIC"):
		w.at++
	case w.at+1 < len(w.tokens) && t.kind == tokenWord && w.tokens[w.at+1].is(":"): // a label
		w.at += 2
	case w.is(t, "BEGIN", "LOOP", "REPEAT"):
		w.at++
		w.open()
	case w.is(t, "WHILE", "FOR"):
		w.at++
		w.until("DO")
		w.open()
	case w.is(t, "CASE"): // its branches are not followed: what they compare is no guard
		w.at++
		w.until("THEN")
		w.open()
	case w.is(t, "WHEN"):
		w.at++
		w.until("THEN")
	case w.is(t, "UNTIL"):
		w.at++
		w.until("END")
	case w.is(t, "IF"):
		w.at++
		w.open(guard{w.until("THEN"), false})
	case w.is(t, "ELSEIF"):
		w.at++
		w.orElse(guard{w.until("THEN"), false})
	case w.is(t, "ELSE"):
		w.at++
		w.orElse()
	case w.is(t, "END"):
		for w.at < len(w.tokens) && !w.tokens[w.at].is(";") { // END IF, END CASE, END label
			w.at++
		}
		w.blocks = w.blocks[:max(len(w.blocks)-1, 0)]
	default:
		w.plain()
	}
}

func (w *walker) is(t token, words ...string) bool {
	return w.text[t.span.Start] != '`' && slices.ContainsFunc(words, t.is)
}

func (w *walker) open(guards ...guard) { w.blocks = append(w.blocks, block{guards}) }

// orElse turns the innermost block's condition around and adds one.
func (w *walker) orElse(guards ...guard) {
	if len(w.blocks) == 0 {
		return
	}
	top := &w.blocks[len(w.blocks)-1]
	if n := len(top.guards); n > 0 {
		top.guards[n-1].negated = true
	}
	top.guards = append(top.guards, guards...)
}

// until moves to a word outside of CASE expressions and brackets and returns the text before it.
func (w *walker) until(word string) string {
	from, depth := w.at, 0
	for i := from; i < len(w.tokens); i++ {
		t := w.tokens[i]
		switch {
		case depth == 0 && w.is(t, word):
			w.at = i
			return w.between(from, i)
		case w.is(t, "(", "CASE"):
			depth++
		case depth > 0 && w.is(t, ")", "END"):
			depth--
		}
	}
	w.at = len(w.tokens)
	return w.between(from, w.at)
}

func (w *walker) between(from, to int) string {
	if from >= to {
		return ""
	}
	return w.text[w.tokens[from].span.Start:w.tokens[to-1].span.End]
}

// plain takes a statement up to its semicolon. The handler that a DECLARE names may be a block.
func (w *walker) plain() {
	from := w.at
	for w.at < len(w.tokens) && !w.tokens[w.at].is(";") {
		if w.is(w.tokens[from], "DECLARE") && w.is(w.tokens[w.at], "BEGIN") {
			return
		}
		w.at++
	}
	var guards []guard
	for _, b := range w.blocks {
		guards = append(guards, b.guards...)
	}
	w.steps = append(w.steps, step{w.text, w.tokens[from:w.at], guards})
}

// sets are the step's assignments to NEW.column, if it is a SET.
func (s step) sets(column string) []assignment {
	if !s.tokens[0].is("SET") {
		return nil
	}
	var found []assignment
	for _, item := range splitItems(s.tokens[1:]) {
		if len(item) < 5 || !item[0].is("NEW") || !item[1].is(".") || !item[2].is(column) {
			continue
		}
		value := 4
		if item[3].is(":") {
			value = 5
		}
		if value < len(item) {
			last := item[len(item)-1].span.End
			found = append(found, assignment{Span{item[0].span.Start, last}, s.text[item[value].span.Start:last]})
		}
	}
	return found
}

// assignment is one of a SET, with its place in the body.
type assignment struct {
	span  Span
	value string
}

// statement is the step parsed, given where the body is. Of a DECLARE it is what the handler does.
func (s step) statement(src Source, body Span) *Statement {
	first := s.tokens[0]
	if first.is("DECLARE") {
		for _, t := range s.tokens {
			if t.is("UPDATE") || t.is("DELETE") || t.is("INSERT") || t.is("REPLACE") || t.is("TRUNCATE") {
				first = t
				break
			}
		}
	}
	return Parse(src, Span{first.span.Start, s.tokens[len(s.tokens)-1].span.End}.in(body))
}

// in is the place in a source of a part of what is at another place there.
func (s Span) in(whole Span) Span { return Span{whole.Start + s.Start, whole.Start + s.End} }

// expression parses an expression; nil if the parser does not know it.
func expression(text string) ast.Node {
	node, err := parse("SELECT " + text)
	if err != nil {
		return nil
	}
	if s, ok := node.(*ast.SelectStmt); ok && s.Fields != nil && len(s.Fields.Fields) == 1 {
		return s.Fields.Fields[0].Expr
	}
	return nil
}

// isRowColumn reports whether an expression is OLD.column or NEW.column.
func isRowColumn(e ast.Node, row, column string) bool {
	c, ok := bare(e).(*ast.ColumnNameExpr)
	return ok && strings.EqualFold(c.Name.Table.O, row) && strings.EqualFold(c.Name.Name.O, column)
}
