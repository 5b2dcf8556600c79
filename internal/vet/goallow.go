package vet

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// permit is a comment in Go code that allows rules: sqlcas:allow CAS001 reason.
type permit struct {
	file    string   // as findings name it
	line    int      // that the comment allows them on: its own, or the one after the comments it stands among
	ids     []string // upper case
	used    map[string]bool
	comment *ast.Comment
	reason  string
}

// allow takes away the findings that a comment allows, on the line of the call or of the fault, or above either.
// A comment that allows nothing is a finding itself.
func (s *scan) allow() []sqlcheck.Finding {
	var permits []*permit
	for _, name := range sortedKeys(s.files) {
		permits = append(permits, s.permits(s.files[name])...)
	}
	var left []sqlcheck.Finding
	for _, f := range s.found {
		if !allowedBy(permits, f) {
			left = append(left, f.Finding)
		}
	}
	for _, p := range permits {
		left = append(left, s.misuse(p)...)
	}
	return left
}

// allowedBy marks all comments that fit: two calls may share one literal, each with a comment of its own.
func allowedBy(permits []*permit, f goFinding) bool {
	fits := false
	for _, p := range permits {
		here := p.file == f.File && p.line == f.Line || p.file == f.call.File && p.line == f.call.Line
		if here && p.reason != "" && slices.Contains(p.ids, f.Rule) {
			p.used[f.Rule] = true
			fits = true
		}
	}
	return fits
}

// permits reads the comments of a file.
func (s *scan) permits(f *ast.File) []*permit {
	var all []*permit
	file := s.fset.PositionFor(f.Package, false).Filename
	lines := strings.Split(s.text(file), "\n")
	for _, group := range f.Comments {
		for _, c := range group.List {
			ids, reason, ok := sqlcheck.ParseAllow(c.Text)
			if !ok {
				continue
			}
			ids, reason = withoutColon(ids, reason)
			for i := range ids {
				ids[i] = strings.ToUpper(ids[i])
			}
			line := s.fset.PositionFor(c.Pos(), false).Line
			if end := s.fset.PositionFor(c.End(), false); hasCode(lines, end.Line, end.Column-1, len(lines[end.Line-1])) {
				line = end.Line // /* ... */ db.Exec(...)
			} else if !hasCode(lines, line, 0, s.fset.PositionFor(c.Pos(), false).Column-1) {
				line = s.fset.PositionFor(group.End(), false).Line + 1
			}
			all = append(all, &permit{
				file: s.shown(file), line: line, ids: ids, used: map[string]bool{}, comment: c, reason: reason,
			})
		}
	}
	return all
}

// hasCode reports whether a part of a line, in bytes, is more than blanks and comments.
func hasCode(lines []string, line, from, to int) bool {
	text := lines[line-1]
	return len(wordsOf(strings.TrimPrefix(text[min(from, len(text)):min(to, len(text))], byteOrderMark))) > 0
}

// withoutColon takes a colon off the last ID, which some write before the reason: CAS001: reason.
func withoutColon(ids []string, reason string) ([]string, string) {
	if len(ids) == 0 {
		return ids, reason
	}
	last := len(ids) - 1
	id, more, _ := strings.Cut(ids[last], ":")
	ids[last] = id
	return ids, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(more+" "+reason), ":"))
}

// misuse says what is wrong with a comment.
func (s *scan) misuse(p *permit) []sqlcheck.Finding {
	start, end := s.fset.PositionFor(p.comment.Pos(), false), s.fset.PositionFor(p.comment.End(), false)
	var found []sqlcheck.Finding
	note := func(message, mend string) {
		span := sqlcheck.Span{Start: start.Offset, End: end.Offset}
		found = append(found, s.at(start.Filename, span, sqlcheck.Finding{Rule: "CAS029", Message: message, Mend: mend}))
	}
	if len(p.ids) == 0 {
		note("this comment names no rule", "write sqlcas:allow CAS001 and the reason")
	}
	for _, id := range p.ids {
		if _, known := sqlcheck.RuleOf(id); !known {
			note(fmt.Sprintf("there is no rule %s", id), "write the ID of a rule: sqlcas explain lists them")
		} else if p.reason == "" {
			note(fmt.Sprintf("%s is allowed without a reason, and so it is not", id), "write after the ID why it is all right here")
		} else if !p.used[id] {
			note(fmt.Sprintf("%s finds nothing here that could be allowed", id),
				"take the comment out, or put it at the call that it is about")
		}
	}
	return found
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
