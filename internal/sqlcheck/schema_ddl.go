package sqlcheck

import (
	"slices"
	"strings"
)

// ddl is one statement of a schema with its words: the parser's tree does not say where a name stands.
type ddl struct {
	source Source
	file   int    // the source's number in the schema
	start  int    // of the text in the source
	text   string // without the words that leaveOut blanked out
	tokens []token
}

// newDDL takes text apart from its source, as what goes down is blanked out of it.
func newDDL(src Source, span Span, text string) *ddl {
	s := &ddl{source: src, start: span.Start, text: text, tokens: scanTokens(text)}
	switch s.verb() {
	case "CREATE":
		s.leaveOut(1, "OR", "REPLACE")
	case "ALTER":
		s.leaveOut(1, "ONLINE")
		s.leaveOut(1, "IGNORE")
		s.leaveOut(2, "IF", "EXISTS")
	case "RENAME":
		s.leaveOut(2, "IF", "EXISTS")
	}
	return s
}

// leaveOut leaves words out at a place, if they are there: what MariaDB has and the parser does not know, and what
// makes no difference here.
func (s *ddl) leaveOut(at int, words ...string) {
	to := at + len(words)
	if len(s.tokens) <= to {
		return
	}
	for i, w := range words {
		if !s.isKeyword(s.tokens[at+i], w) {
			return
		}
	}
	from, end := s.tokens[at].span.Start, s.tokens[to-1].span.End
	s.text = s.text[:from] + blank(s.text[from:end]) + s.text[end:]
	s.tokens = slices.Delete(s.tokens, at, to)
}

func (s *ddl) verb() string {
	if len(s.tokens) == 0 {
		return ""
	}
	return strings.ToUpper(s.tokens[0].text)
}

// isKeyword reports whether a token is one of these words, and no name in backquotes.
func (s *ddl) isKeyword(t token, words ...string) bool {
	return t.kind == tokenWord && s.text[t.span.Start] != '`' &&
		slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, t.text) })
}

// find returns where a name stands first among tokens; without it, where they begin.
func (s *ddl) find(tokens []token, name string) Span {
	for _, t := range tokens {
		if t.kind == tokenWord && strings.EqualFold(t.text, name) {
			return s.span(t, t)
		}
	}
	if len(tokens) > 0 {
		return s.span(tokens[0], tokens[0])
	}
	return Span{s.start, s.start}
}

// span is from one token to another, in the source.
func (s *ddl) span(from, to token) Span {
	return Span{s.start + from.span.Start, s.start + to.span.End}
}

// columnItems are what is between the commas of CREATE TABLE's brackets.
func (s *ddl) columnItems() [][]token {
	i := slices.IndexFunc(s.tokens, func(t token) bool { return t.is("(") })
	if i < 0 {
		return nil
	}
	return splitItems(s.tokens[i+1:])
}

// splitItems cuts tokens at their commas, brackets left whole, and ends where a bracket closes that they do
// not open.
func splitItems(tokens []token) [][]token {
	var items [][]token
	depth, from := 0, 0
	for i, t := range tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")") && depth == 0:
			return append(items, tokens[from:i])
		case t.is(")"):
			depth--
		case t.is(",") && depth == 0:
			items = append(items, tokens[from:i])
			from = i + 1
		}
	}
	return append(items, tokens[from:])
}

// itemOf returns the item of a column of CREATE TABLE, empty if there is none.
func itemOf(s *ddl, items [][]token, name string) []token {
	for _, item := range items {
		if len(item) > 0 && !s.isConstraint(item) && strings.EqualFold(item[0].text, name) {
			return item
		}
	}
	return nil
}

func constraintItems(s *ddl, items [][]token) [][]token {
	var of [][]token
	for _, item := range items {
		if len(item) > 0 && s.isConstraint(item) {
			of = append(of, item)
		}
	}
	return of
}

func (s *ddl) isConstraint(item []token) bool {
	return s.isKeyword(item[0], "CONSTRAINT", "PRIMARY", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK", "LIKE")
}

// defaultOf returns what follows DEFAULT in a column's item, as written. What is in brackets before, of a
// CHECK or a generated column, is no DEFAULT of the column.
func (s *ddl) defaultOf(item []token) string {
	depth := 0
	for i, t := range item {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case i > 0 && depth == 0 && s.isKeyword(t, "DEFAULT") && i+1 < len(item):
			last := s.valueEnd(item, i+1)
			return s.text[item[i+1].span.Start:item[last].span.End]
		}
	}
	return ""
}

// valueEnd returns the last token of the value that begins at i: a literal, a word with its brackets, or an
// expression in brackets. 1.5 and _utf8mb4'x' are several tokens without a blank between them.
func (s *ddl) valueEnd(item []token, i int) int {
	if (item[i].is("-") || item[i].is("+")) && i+1 < len(item) {
		i++
	}
	for i+1 < len(item) && item[i].kind == tokenWord && item[i].span.End == item[i+1].span.Start &&
		(item[i+1].is(".") || item[i+1].kind == tokenString) {
		i++
		if item[i].is(".") && i+1 < len(item) && item[i+1].kind == tokenWord {
			i++
		}
	}
	open := i
	if !item[open].is("(") && open+1 < len(item) && item[open].kind == tokenWord && item[open+1].is("(") {
		open++
	}
	if !item[open].is("(") {
		return i
	}
	depth := 0
	for j := open; j < len(item); j++ {
		if item[j].is("(") {
			depth++
		}
		if item[j].is(")") {
			depth--
		}
		if depth == 0 {
			return j
		}
	}
	return len(item) - 1
}
