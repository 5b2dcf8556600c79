package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// checkBuilt looks at SQL that is built at run time: whether its constant parts show that it writes a versioned
// table. Other such SQL is only counted.
func (s *scan) checkBuilt(info *types.Info, c *ast.CallExpr, query ast.Expr) {
	for _, text := range s.fragmentsOf(info, query) {
		if verb, table := s.writes(text); table != "" {
			s.reportNode(c, query, sqlcheck.Finding{
				Rule: "CAS028",
				Message: fmt.Sprintf("no rule has looked at this %s of the versioned table %s, since a part of it is only known at run time",
					verb, table),
				Mend: "write it as a constant, or look at it yourself and allow it with a reason",
			})
			return
		}
	}
	s.unknown = append(s.unknown, s.position(query.Pos()))
}

// writes finds the first write of a versioned table that a text with holes has for sure: what it does, and to
// which table.
func (s *scan) writes(text string) (verb, table string) {
	words := wordsOf(text)
	for i, w := range words {
		var names []string
		switch verb = strings.ToUpper(w); {
		case i > 0 && anyOf(words[i-1], "FOR", "ON", "KEY", "."):
			continue // a lock, a foreign key, ON DUPLICATE KEY UPDATE, a column
		case verb == "UPDATE" || verb == "DELETE":
			names = namesIn(words[i+1:])
		case verb == "REPLACE" || verb == "INSERT" && hasDuplicate(words[i+1:]):
			names = nameAt(words[i+1:])
		}
		for _, name := range names {
			if t := s.in.Catalog.Table(name); t != nil && t.Version != nil {
				return verb, t.Name
			}
		}
	}
	return "", ""
}

// modifiers may stand between a verb and the table.
var modifiers = []string{"LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "IGNORE", "INTO", "FROM"}

// nameAt returns the table that words begin with, which may follow modifiers and the name of its database.
func nameAt(words []string) []string {
	for len(words) > 0 && anyOf(words[0], modifiers...) {
		words = words[1:]
	}
	if len(words) > 2 && words[1] == "." {
		words = words[2:]
	}
	if len(words) == 0 {
		return nil
	}
	return []string{bare(words[0])}
}

// namesIn returns the tables of an UPDATE or DELETE: the one that it begins with and those that are joined, up to
// where something else begins.
func namesIn(words []string) []string {
	names := nameAt(words)
	for i, w := range words {
		switch {
		case anyOf(w, "SET", "WHERE", "SELECT", "ORDER", "LIMIT", ";"):
			return names
		case anyOf(w, ",", "JOIN", "FROM", "USING"):
			names = append(names, nameAt(words[i+1:])...)
		}
	}
	return names
}

func hasDuplicate(words []string) bool {
	for i, w := range words {
		if w == ";" {
			return false
		}
		if i > 0 && anyOf(w, "DUPLICATE") && anyOf(words[i-1], "ON") {
			return true
		}
	}
	return false
}

func anyOf(word string, others ...string) bool {
	for _, other := range others {
		if strings.EqualFold(word, other) {
			return true
		}
	}
	return false
}

// bare is a name without backquotes.
func bare(word string) string { return strings.Trim(word, "`") }

// wordsOf cuts a text into words and signs. Names keep their backquotes, so that none is taken for a keyword;
// strings and comments are left out.
func wordsOf(text string) []string {
	var words []string
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			i = closing(text, i)
		case strings.HasPrefix(text[i:], "/*"):
			i = skip(text, i, "*/")
		case c == '#' || strings.HasPrefix(text[i:], "-- "):
			i = skip(text, i, "\n")
		case c == '`':
			end := min(closing(text, i)+1, len(text))
			words = append(words, text[i:end])
			i = end - 1
		case isWord(c):
			end := i
			for end < len(text) && isWord(text[end]) {
				end++
			}
			words = append(words, text[i:end])
			i = end - 1
		case c > ' ':
			words = append(words, string(c))
		}
	}
	return words
}

// isWord reports whether a byte is one of a name: letters of other alphabets are.
func isWord(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '$' || c >= 0x80
}
