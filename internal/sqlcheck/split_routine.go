package sqlcheck

import (
	"slices"
	"strings"
)

// routine follows a statement's words and knows whether they are inside of the body of a trigger,
// procedure, function or event, where a semicolon ends an inner statement only.
//
// It counts what END closes. The words that open are names and functions as well: IF(a, b, c), REPEAT('a', 3),
// a column called begin. They open only where an inner statement may begin.
type routine struct {
	words  int
	first  string // the first word of the inner statement
	before string // the word or sign before the last one
	last   string // the last word or sign
	creates,
	is bool // it is a routine
	open     []string // innermost last
	afterEnd bool
}

// caseExpression is what a CASE inside of an expression opens: there is no statement in it.
const caseExpression = "CASE expression"

func (r *routine) closed() bool { return len(r.open) == 0 }

func (r *routine) word(word string) {
	word = strings.ToUpper(word)
	r.words++
	if r.is {
		r.inBody(word)
	} else {
		r.inHead(word)
	}
	r.before, r.last = r.last, word
}

func (r *routine) sign(sign byte) {
	r.afterEnd = false
	r.before, r.last = r.last, string(sign)
}

func (r *routine) inHead(word string) {
	switch {
	case r.words == 1:
		r.creates = word == "CREATE" || word == "ALTER"
	case r.words == 2 && r.last == "BEGIN" && word == "NOT": // MariaDB's BEGIN NOT ATOMIC
		r.is, r.open = true, []string{"BEGIN"}
	case !r.creates:
	case slices.Contains([]string{"TRIGGER", "PROCEDURE", "FUNCTION", "EVENT"}, word):
		r.is = true
	case slices.Contains([]string{"TABLE", "VIEW", "INDEX", "DATABASE", "SCHEMA", "USER", "ROLE", "SEQUENCE", "SERVER"}, word):
		r.creates = false
	}
}

func (r *routine) inBody(word string) {
	ended := r.afterEnd
	r.afterEnd = false
	if r.last == "." || ended && slices.Contains([]string{"IF", "CASE", "LOOP", "WHILE", "REPEAT", "FOR"}, word) {
		return
	}
	begins := r.begins()
	if begins {
		r.first = word
	}
	switch word {
	case "BEGIN":
		if r.closed() || begins || r.first == "DECLARE" {
			r.open = append(r.open, word)
		}
	case "CASE":
		if !begins {
			word = caseExpression
		}
		r.open = append(r.open, word)
	case "IF", "LOOP", "WHILE", "REPEAT", "FOR":
		if begins {
			r.open = append(r.open, word)
		}
	case "END":
		if top := r.top(); top == caseExpression || top == "REPEAT" || top != "" && begins {
			r.open = r.open[:len(r.open)-1]
			r.afterEnd = true
		}
	}
}

func (r *routine) top() string {
	if r.closed() {
		return ""
	}
	return r.open[len(r.open)-1]
}

// begins reports whether an inner statement may begin here.
func (r *routine) begins() bool {
	if r.top() == caseExpression {
		return false
	}
	switch r.last {
	case ";", ":", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "ATOMIC":
		return true
	case "ROW", "DETERMINISTIC", "SQL", "DATA", ")":
		return r.closed()
	}
	return r.closed() && (r.before == "FOLLOWS" || r.before == "PRECEDES")
}
