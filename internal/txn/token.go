package txn

import "strings"

// tokenKind is what a token of an SQL text is.
type tokenKind uint8

const (
	word   tokenKind = iota // a bare identifier or keyword
	quoted                  // a `quoted` identifier, kept with its backticks
	number
	literal // a string
	param   // ?
	symbol  // an operator or punctuation
	broken  // not understood
)

type token struct {
	kind tokenKind
	text string
}

// is compares a bare word or a symbol without regard to case.
func (t token) is(text string) bool {
	return (t.kind == word || t.kind == symbol) && strings.EqualFold(t.text, text)
}

// name reports whether t can name a column or table, and the bare name.
func (t token) name() (string, bool) {
	switch t.kind {
	case word:
		return t.text, true
	case quoted:
		return strings.ReplaceAll(t.text[1:len(t.text)-1], "``", "`"), len(t.text) > 2
	}
	return "", false
}

// tokenize splits the simple statements that parseSwap is after. It need not know all of SQL: what
// it does not understand becomes a broken token, and the statement is then left alone.
func tokenize(query string) []token {
	var out []token
	for {
		query = skipBlank(query)
		if query == "" {
			return out
		}
		t := next(query)
		out = append(out, t)
		if t.kind == broken {
			return out
		}
		query = query[len(t.text):]
	}
}

// skipBlank skips blanks and comments, but not the comments that MySQL executes or takes as hints.
func skipBlank(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\r\n")
		end := ""
		switch {
		case strings.HasPrefix(query, "-- "), strings.HasPrefix(query, "--\n"), strings.HasPrefix(query, "#"):
			end = "\n"
		case strings.HasPrefix(query, "/*") && !strings.HasPrefix(query, "/*!") &&
			!strings.HasPrefix(query, "/*+") && !strings.HasPrefix(query, "/*M"):
			end = "*/"
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

func next(query string) token {
	c := query[0]
	switch {
	case c == '`':
		return delimited(query, '`', quoted)
	case c == '\'' || c == '"':
		// Double quotes may mean an identifier (ANSI_QUOTES) and backslashes may be plain
		// (NO_BACKSLASH_ESCAPES): either is left alone.
		if t := delimited(query, c, literal); c == '\'' && !strings.ContainsRune(t.text, '\\') {
			return t
		}
		return token{broken, query}
	case c == '?':
		return token{param, "?"}
	case isWordByte(c):
		n := 0
		for n < len(query) && isWordByte(query[n]) {
			n++
		}
		if c >= '0' && c <= '9' {
			if strings.Trim(query[:n], "0123456789") != "" {
				return token{broken, query} // 1e3, 0x1F, an identifier that starts with a digit
			}
			return token{number, query[:n]}
		}
		return token{word, query[:n]}
	}
	if strings.HasPrefix(query, "--") {
		return token{broken, query} // a comment to the server if some other blank follows, else 1 - -1
	}
	for _, op := range []string{"<=>", "<=", ">=", "<>", "!="} {
		if strings.HasPrefix(query, op) {
			return token{symbol, op}
		}
	}
	if strings.IndexByte("=<>+-*/%,.();", c) >= 0 {
		return token{symbol, query[:1]}
	}
	return token{broken, query}
}

// delimited takes a text between two equal delimiters; a doubled one stands for itself.
func delimited(query string, delim byte, kind tokenKind) token {
	for i := 1; i < len(query); i++ {
		if query[i] != delim {
			continue
		}
		if i+1 < len(query) && query[i+1] == delim {
			i++
			continue
		}
		return token{kind, query[:i+1]}
	}
	return token{broken, query}
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
