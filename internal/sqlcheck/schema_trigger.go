package sqlcheck

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

var errTriggerHead = errors.New("it is not {BEFORE | AFTER} {INSERT | UPDATE | DELETE} ON a table FOR EACH ROW and a body")

// isTrigger reports whether the statement creates a trigger. Triggers are read by their words: the parser
// refuses bodies that servers take, with CALL in them for one.
func (s *ddl) isTrigger() bool {
	object, _ := s.object()
	return object == "TRIGGER" && s.verb() == "CREATE"
}

// createTrigger reads the head: CREATE TRIGGER name BEFORE UPDATE ON table FOR EACH ROW, and takes the rest as the
// body.
func (c *Catalog) createTrigger(s *ddl) {
	i := slices.IndexFunc(s.tokens, func(t token) bool { return s.isKeyword(t, "TRIGGER") }) + 1
	schema, name := s.qualifiedAfter(i)
	g := &Trigger{Name: name, Source: s.source, Span: s.find(s.tokens[i:], name)}
	for i < len(s.tokens) && !s.isKeyword(s.tokens[i], "BEFORE", "AFTER") {
		i++
	}
	head := s.tokens[i:]
	if len(head) < 8 || !head[2].is("ON") || !s.isKeyword(head[1], "INSERT", "UPDATE", "DELETE") {
		c.unknown(s, errTriggerHead)
		return
	}
	g.Before, g.Event = head[0].is("BEFORE"), strings.ToUpper(head[1].text)
	g.Schema, g.Table = s.qualifiedAfter(i + 3)
	g.Schema = cmp.Or(g.Schema, schema)
	row := slices.IndexFunc(head, func(t token) bool { return s.isKeyword(t, "ROW") }) + 1
	if row+2 < len(head) && s.isKeyword(head[row], "FOLLOWS", "PRECEDES") {
		row += 2
	}
	if row == 0 || row >= len(head) {
		c.unknown(s, errTriggerHead)
		return
	}
	g.body = s.span(head[row], head[len(head)-1])
	g.Body = s.text[head[row].span.Start:head[len(head)-1].span.End]
	c.dropTrigger(g.Schema, name) // of CREATE OR REPLACE
	c.Triggers = append(c.Triggers, g)
}
