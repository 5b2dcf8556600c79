package sqlcheck

import "strings"

// token is one word of a statement: a name, a number, a sign. Strings are one token each, comments none,
// so that a word in them is not mistaken for SQL. What is inside of an executable comment /*! */ is SQL.
type token struct {
	span Span   // in the text that was given to scanTokens
	text string // a name in backquotes without them
	kind tokenKind
}

type tokenKind uint8

const (
	tokenWord   tokenKind = iota // a name, a keyword or a number
	tokenString                  // in ' or ", text has the quotes
	tokenSign                    // one byte of anything else
)

func (t token) is(text string) bool {
	return t.kind != tokenString && strings.EqualFold(t.text, text)
}

// scanTokens cuts a statement into its tokens, with the default SQL mode. It takes any text: what is
// not closed ends at the text's end.
func scanTokens(text string) []token {
	var tokens []token
	for at := 0; at < len(text); {
		c := text[at]
		end := at + 1
		switch {
		case isBlank(c):
			at = end
			continue
		case isComment(text[at:]):
			at += skipComment(text[at:])
			continue
		case strings.HasPrefix(text[at:], "*/"): // the end of an executable comment
			at += 2
			continue
		case c == '\'' || c == '"' || c == '`':
			end = at + quoted(text[at:])
			tokens = append(tokens, quotedToken(text, Span{at, end}))
			at = end
			continue
		case isWordByte(c):
			for end < len(text) && isWordByte(text[end]) {
				end++
			}
			tokens = append(tokens, token{Span{at, end}, text[at:end], tokenWord})
		default:
			tokens = append(tokens, token{Span{at, end}, text[at:end], tokenSign})
		}
		at = end
	}
	return tokens
}

// scanComments finds the comments of a text, executable ones left out.
func scanComments(text string) []Span {
	var comments []Span
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case isComment(text[at:]):
			end := at + skipComment(text[at:])
			if !isExecutable(text[at:]) {
				comments = append(comments, Span{at, at + len(strings.TrimRight(text[at:end], "\r\n"))})
			}
			at = end
		case c == '\'' || c == '"' || c == '`':
			at += quoted(text[at:])
		default:
			at++
		}
	}
	return comments
}

// isExecutable reports whether a text begins with a comment that servers run.
func isExecutable(text string) bool {
	return strings.HasPrefix(text, "/*!") || strings.HasPrefix(text, "/*M!")
}

func quotedToken(text string, span Span) token {
	t := token{span, text[span.Start:span.End], tokenString}
	if t.text[0] == '`' {
		t.kind = tokenWord
		t.text = strings.ReplaceAll(strings.TrimSuffix(t.text[1:], "`"), "``", "`")
	}
	return t
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// isWordByte counts every byte of a character outside of ASCII as one of a name, as the server does.
func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isComment reports whether a comment begins a text. Two dashes are one only before a blank: `1--1` is 2.
func isComment(text string) bool {
	if strings.HasPrefix(text, "--") {
		return len(text) == 2 || text[2] <= ' '
	}
	return text[0] == '#' || strings.HasPrefix(text, "/*")
}

// skipComment returns how long the comment is that begins a text; of an executable one, how long its
// opening and the version number after it are.
func skipComment(text string) int {
	if isExecutable(text) {
		end := strings.IndexByte(text, '!') + 1
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		return end
	}
	if strings.HasPrefix(text, "/*") {
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4
		}
		return len(text)
	}
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return len(text)
}

// quoted returns how long the string or quoted name is that begins a text. A doubled quote is one of its
// characters; a backslash hides the next one, save in a name.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] != '`':
			i++
		case text[i] == text[0]:
			if i+1 < len(text) && text[i+1] == text[0] {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(text)
}
