package sqlcheck

import (
	"slices"
	"strings"
	"unicode"
)

// Queries reads a file of sqlc queries: its statements in their order, each with the Query that the
// comments before it make of it. What sqlc refuses as a head (`-- name: X` without a command) or does
// not see as one (a line that does not begin with the comment) is none, and Query is nil.
func Queries(src Source) []*Statement {
	spans := Split(src.Text)
	statements := make([]*Statement, 0, len(spans))
	from := 0
	for _, span := range spans {
		s := Parse(src, span)
		s.Query = readQuery(src.Text, Span{from, s.Span.End})
		statements = append(statements, s)
		from = s.Span.End
		if from < len(src.Text) && src.Text[from] == ';' {
			from++
		}
	}
	return statements
}

// readQuery reads the head in a part of a text: from after the semicolon of the statement before to the
// statement's end. sqlc looks for it line by line and in all of that, inside of the statement too, and
// gives a query all comments that begin a line there, those above its head included.
func readQuery(text string, part Span) *Query {
	var q *Query
	var comments []string
	for at := part.Start; at < part.End; {
		end := part.End
		if n := strings.IndexByte(text[at:part.End], '\n'); n >= 0 {
			end = at + n
		}
		line := text[at:end]
		if head := readHead(line, at); head != nil {
			if q == nil {
				q = head
			}
		} else if c, ok := lineComment(strings.TrimRight(line, "\r")); ok {
			comments = append(comments, c)
		}
		at = end + 1
	}
	if q == nil {
		return nil
	}
	q.Comments = comments
	for _, c := range comments {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(c), "@cas"); ok && !q.Marked {
			if rest == "" || unicode.IsSpace(rune(rest[0])) {
				q.Marked, q.CAS = true, strings.TrimSpace(rest)
			}
		}
	}
	return q
}

// commands are those that sqlc knows.
var commands = []string{
	"one", "many", "exec", "execrows", "execresult", "execlastid", "copyfrom", "batchexec", "batchmany", "batchone",
}

// readHead reads one line that stands at an offset of the text: `-- name: GetAccount :one`, or the same
// after # or in /* */. One blank, and no other, is between each two words: sqlc refuses all else.
func readHead(line string, at int) *Query {
	for _, mark := range []string{"--", "/*", "#"} {
		prefix := mark + " name: "
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		words := strings.Split(strings.TrimRightFunc(line[len(prefix):], unicode.IsSpace), " ")
		if mark == "/*" {
			words = words[:len(words)-1] // sqlc takes the last word for the comment's end, whatever it is
		}
		if len(words) != 2 || !isName(words[0]) {
			return nil
		}
		command, ok := strings.CutPrefix(strings.TrimSpace(words[1]), ":")
		if !ok || !slices.Contains(commands, command) {
			return nil
		}
		start := at + strings.Index(line, prefix) + len(prefix)
		return &Query{Name: words[0], Command: command, Span: Span{start, start + len(words[0])}}
	}
	return nil
}

// isName reports whether a name can be that of a Go method.
func isName(name string) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}

// lineComment returns what a line says that is nothing but a comment. An optimizer hint is none, and
// neither is a line within a longer /* */.
func lineComment(line string) (string, bool) {
	if rest, ok := strings.CutPrefix(line, "--"); ok {
		return rest, true
	}
	if rest, ok := strings.CutPrefix(line, "#"); ok {
		return rest, true
	}
	if rest, ok := strings.CutPrefix(line, "/*"); ok && !strings.HasPrefix(rest, "+") {
		return strings.CutSuffix(rest, "*/")
	}
	return "", false
}
