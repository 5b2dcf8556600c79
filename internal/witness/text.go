package witness

import (
	"regexp"
	"strings"
)

// Keyword returns the word that says what a statement does, in upper case: its first one, past
// blanks, brackets, comments and MariaDB's SET STATEMENT ... FOR.
func Keyword(query string) string {
	word, _ := keyword(query)
	return word
}

// statementFor is what MariaDB takes in front of a statement to set variables for it alone.
var statementFor = regexp.MustCompile(`(?is)^(?:\s|/\*.*?\*/)*STATEMENT\b.*?(?:\s|\*/)FOR\b`)

// keyword is Keyword that also returns what follows the word.
func keyword(query string) (word, rest string) {
	word, rest = firstWord(query)
	for word == "SET" {
		prefix := statementFor.FindString(rest)
		if prefix == "" {
			break
		}
		word, rest = firstWord(rest[len(prefix):])
	}
	return word, rest
}

// firstWord returns the first word of query in upper case, and what follows it, past what the server
// ignores. What stands in a comment that the server executes (/*! ... */, /*M! ... */) is no comment.
func firstWord(query string) (word, rest string) {
	for {
		query = skipIgnored(query)
		if !isVersionComment(query) {
			break
		}
		query = strings.TrimLeft(query[strings.IndexByte(query, '!')+1:], "0123456789")
	}
	i := 0
	for i < len(query) && (query[i]|0x20 >= 'a' && query[i]|0x20 <= 'z' || query[i] == '_') {
		i++
	}
	return strings.ToUpper(query[:i]), query[i:]
}

// skipIgnored skips blanks, opening brackets, semicolons, comments, and the end of a comment that
// the server executes.
func skipIgnored(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\r\n\f\v(;")
		end := ""
		switch {
		case strings.HasPrefix(query, "*/"):
			query = query[2:]
			continue
		case strings.HasPrefix(query, "/*") && !isVersionComment(query):
			end = "*/"
		case strings.HasPrefix(query, "#"), strings.HasPrefix(query, "--"):
			end = "\n"
		default:
			return query
		}
		i := strings.Index(query, end)
		if i < 0 {
			return ""
		}
		query = query[i+len(end):]
	}
}

func isVersionComment(query string) bool {
	return strings.HasPrefix(query, "/*!") || strings.HasPrefix(query, "/*M!")
}

// several reports whether something follows a semicolon that ends a statement, as a connection
// with multiStatements allows.
func several(query string) bool {
	if strings.IndexByte(query, ';') < 0 {
		return false
	}
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case c == ';':
			word, rest := firstWord(query[i:])
			return word != "" || strings.Trim(rest, " \t\r\n\f\v;)") != ""
		case c == '\'' || c == '"' || c == '`':
			i = skipQuoted(query, i)
		case strings.HasPrefix(query[i:], "/*") && !strings.HasPrefix(query[i:], "/*!"):
			i = skipTo(query, i, "*/")
		case c == '#', strings.HasPrefix(query[i:], "--") && i+2 < len(query) && query[i+2] <= ' ':
			i = skipTo(query, i, "\n")
		}
	}
	return false
}

// skipQuoted returns the index of the quote that ends the text that starts at i. Two quotes in a
// row look like the end of one text and the start of another, which comes to the same.
func skipQuoted(query string, i int) int {
	quote := query[i]
	for i++; i < len(query) && query[i] != quote; i++ {
		if query[i] == '\\' && quote != '`' {
			i++
		}
	}
	return i
}

// skipTo returns the index of the last byte of end, at or behind i.
func skipTo(query string, i int, end string) int {
	n := strings.Index(query[i:], end)
	if n < 0 {
		return len(query)
	}
	return i + n + len(end) - 1
}

// shorten cuts a statement for use in an error.
func shorten(query string) string {
	query = strings.Join(strings.Fields(query), " ")
	if len(query) > 80 {
		return query[:77] + "..."
	}
	return query
}

// behindVersionComment returns what follows the comment that a statement begins with, if that is one
// which a server of an older version skips.
func behindVersionComment(query string) (string, bool) {
	query = skipIgnored(query)
	if !isVersionComment(query) {
		return "", false
	}
	_, rest, ok := strings.Cut(query, "*/")
	return rest, ok
}
