package sqlcheck

import (
	"slices"
	"strings"
)

// Routine is one procedure, function or event.
type Routine struct {
	Kind         string // "procedure", "function" or "event"
	Schema, Name string
	Source       Source
	Span         Span // its name in the source
	Body         Span // in the source
}

// isRoutine reports whether the statement is about a routine. Routines are read by their words, as triggers are.
func (s *ddl) isRoutine() bool {
	i := s.objectAt()
	return i >= 0 && s.isKeyword(s.tokens[i], "PROCEDURE", "FUNCTION", "EVENT")
}

// runRoutine creates or drops one. What ALTER changes is none of its statements, save of an event: that is
// a new one then.
func (c *Catalog) runRoutine(s *ddl) {
	at := s.objectAt()
	kind := strings.ToLower(s.tokens[at].text)
	schema, name := s.qualifiedAfter(at + 1)
	body := s.bodyAt(kind, at)
	if s.verb() == "DROP" || body >= 0 { // the latter of CREATE OR REPLACE
		c.Routines = slices.DeleteFunc(c.Routines, func(r *Routine) bool {
			return r.Kind == kind && strings.EqualFold(r.Schema, schema) && strings.EqualFold(r.Name, name)
		})
	}
	if body < 0 {
		return
	}
	c.Routines = append(c.Routines, &Routine{
		Kind: kind, Schema: schema, Name: name, Source: s.source,
		Span: s.find(s.tokens[at:], name), Body: s.span(s.tokens[body], s.tokens[len(s.tokens)-1]),
	})
}

// bodyAt returns the token with which the routine's body begins, -1 if it has none. Between the parameters and
// the body are words about the routine, none of which begins a statement.
func (s *ddl) bodyAt(kind string, at int) int {
	if kind == "event" {
		for i := at; i+1 < len(s.tokens); i++ {
			if s.isKeyword(s.tokens[i], "DO") {
				return i + 1
			}
		}
		return -1
	}
	depth, closed := 0, false
	for i := at; i < len(s.tokens); i++ {
		switch t := s.tokens[i]; {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
			closed = true
		case depth == 0 && closed && s.isKeyword(t, bodyWords...):
			return i
		}
	}
	return -1
}

// bodyWords are those with which a body begins.
var bodyWords = []string{
	"BEGIN", "UPDATE", "DELETE", "INSERT", "REPLACE", "TRUNCATE", "WITH", "SELECT", "CALL", "DO", "SET", "RETURN", "IF", "CASE",
	"LOOP", "REPEAT", "WHILE", "FOR",
}
