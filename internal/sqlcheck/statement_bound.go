package sqlcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// The parser and the visitors of its tree call themselves once a level, and a stack that is used up ends
// the program: there is nothing to recover from. So both are bounded, at a small part of Go's limit of
// 1 GB: a level of brackets takes 8 kB, and of what nests without brackets (NOT NOT, CASE WHEN CASE WHEN)
// a byte takes half a kB.
//
// What begins with INTERVAL, JSON_VALUE( or ((SELECT the parser tries in two ways, one after the other, and all
// that is in it again in two: thirty of them in each other would take it hours. Nobody writes six, nor
// many in a long statement.
const (
	maxBrackets = 1_000
	maxLength   = 1 << 20 // outside of strings and comments: an INSERT of large values is not deep
	maxTries    = 6
	maxTokens   = 1 << 20 // that are read, with those that are read again

	// maxTables is how many tables the servers take in one join. What looks for an order in which a join's
	// tables can be read takes the more time the more they are, and would not come to an end for hundreds.
	maxTables = 61
)

var (
	errTooDeep = fmt.Errorf("it nests deeper than %d brackets", maxBrackets)
	errTooHard = errors.New("it nests too many of INTERVAL, JSON_VALUE and ((SELECT")
	errTooWide = fmt.Errorf("it joins more than %d tables, which no server takes", maxTables)
	errTooLong = fmt.Errorf("it is longer than %d bytes without its strings", maxLength)
)

// bounded returns an error for a text that would take the parser too much stack or time.
func bounded(text string) error {
	var n nesting
	length := 0
	n.open()
	tokens := scanTokens(text)
	for i, t := range tokens {
		if t.kind == tokenString {
			continue
		}
		length += len(t.text)
		n.add(tokens[:i], t)
		switch {
		case len(n.levels) > maxBrackets:
			return errTooDeep
		case n.tries > maxTries, n.tries > 1 && len(tokens)<<n.tries > maxTokens:
			return errTooHard
		}
	}
	if length > maxLength {
		return errTooLong
	}
	return nil
}

// nesting counts what is open at a place in a statement: the brackets, and in each of them what the parser
// tries in two ways.
type nesting struct {
	levels []int // of each open bracket, the tries in it that have not come to their end
	tries  int   // the sum
}

func (n *nesting) open() { n.levels = append(n.levels, 0) }

func (n *nesting) try(times int) {
	n.levels[len(n.levels)-1] += times
	n.tries += times
}

// end takes away up to so many tries of the innermost bracket.
func (n *nesting) end(most int) {
	last := &n.levels[len(n.levels)-1]
	most = min(most, *last)
	*last -= most
	n.tries -= most
}

// add takes one token more. A unit of time ends an INTERVAL, and so does a comma.
func (n *nesting) add(before []token, t token) {
	last := token{kind: tokenSign}
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch {
	case t.is("("):
		n.open()
		if last.is("json_value") {
			n.try(1)
		}
	case t.is(")"):
		n.end(len(before))
		if len(n.levels) > 1 {
			n.levels = n.levels[:len(n.levels)-1]
		}
	case t.is(","):
		n.end(len(before))
	case t.is("interval"):
		n.try(1)
	case isUnit(t.text) && !last.is("interval") && (last.kind != tokenSign || last.is(")") || last.is("?")):
		n.end(1)
	case t.is("select") || t.is("with"):
		opened := 0
		for opened < len(before) && before[len(before)-1-opened].is("(") {
			opened++
		}
		n.try(max(opened-1, 0))
	}
}

var units = []string{"MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"}

// isUnit knows the double ones, such as DAY_SECOND, by their end.
func isUnit(word string) bool {
	word = strings.ToUpper(word)
	if i := strings.LastIndexByte(word, '_'); i >= 0 {
		word = word[i+1:]
	}
	return slices.Contains(units, word)
}

// joinsTooMany reports whether a statement has a join of more tables than servers take.
func joinsTooMany(n ast.Node) bool {
	most := 0
	inspect(n, func(n ast.Node) bool {
		if from, ok := n.(*ast.TableRefsClause); ok {
			most = max(most, joined(from.TableRefs))
		}
		return true
	})
	return most > maxTables
}

// joined counts the tables of a join. It goes down the left without calling itself, where a list of tables nests.
func joined(n ast.ResultSetNode) int {
	count := 0
	for {
		switch j := n.(type) {
		case *ast.Join:
			if j == nil {
				return count
			}
			if j.Right != nil {
				count += joined(j.Right)
			}
			n = j.Left
			continue
		case *ast.TableSource:
			if inner, ok := j.Source.(*ast.Join); ok {
				n = inner
				continue
			}
		}
		return count + 1
	}
}
