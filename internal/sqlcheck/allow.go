package sqlcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// allowMark begins what a comment allows.
const allowMark = "sqlcas:allow"

// allowRule is the rule about allow comments themselves. It has no check: Allow and AllowLines report it.
const allowRule = "CAS029"

// ParseAllow reads a comment, with or without the signs that make it one: `-- sqlcas:allow CAS001,CAS002
// reason`. The IDs are as written; they may not exist, and there may be none, nor a reason. Not ok says that
// the comment is about something else.
func ParseAllow(comment string) (ids []string, reason string, ok bool) {
	text := strings.TrimSpace(comment)
	for _, sign := range []string{"--", "//", "#", "/*"} {
		if rest, cut := strings.CutPrefix(text, sign); cut {
			text = strings.TrimSpace(strings.TrimSuffix(rest, "*/"))
			break
		}
	}
	text, ok = strings.CutPrefix(text, allowMark)
	if !ok || text != "" && !unicode.IsSpace(rune(text[0])) {
		return nil, "", false
	}
	for more := true; more; {
		text = strings.TrimSpace(text)
		end := strings.IndexFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			ids = append(ids, text[:end])
		}
		text, more = strings.CutPrefix(strings.TrimSpace(text[end:]), ",")
	}
	return ids, text, true
}

// Allow takes away the findings in a file of queries that a comment allows: one within the statement or behind
// it on its last line, one before it on its first line, one among the comments between its name and it, or one on
// the lines directly above. What is wrong with such a comment becomes a finding itself. Call it once, with
// the findings of all rules.
func Allow(src Source, statements []*Statement, findings []Finding) []Finding {
	comments := allowComments(src.Text)
	if len(comments) == 0 {
		return findings
	}
	o := owners{linesIn(src.Text), nil, statements}
	o.below = o.lines.below()
	for i := range comments {
		comments[i].of = o.commented(comments[i].span.Start)
	}
	return allow(src, comments, findings, func(f Finding) int { return o.at(o.lines.place(f.Line, f.Column)) })
}

// owners know which statement a place in a file is about.
type owners struct {
	lines      *lines
	below      []int // see lines.below
	statements []*Statement
}

// at returns the number of the statement that a place is in or before.
func (o owners) at(offset int) int {
	i, _ := slices.BinarySearchFunc(o.statements, offset, func(s *Statement, at int) int { return cmp.Compare(s.Span.End, at) })
	return i
}

// commented returns the number of the statement that a comment is about, -1 if it is about none. On one line
// with two statements, it is about the one that it is in or before.
func (o owners) commented(offset int) int {
	line, next := o.lines.at(offset), o.at(offset)
	if next < len(o.statements) {
		s := o.statements[next]
		head := o.lines.at(s.Span.Start)
		if s.Span.Start <= offset || line == head {
			return next
		}
		if s.Query != nil {
			head = min(head, o.lines.at(s.Query.Span.Start))
		}
		if line >= head || o.below[line] >= head {
			return next
		}
	}
	if next > 0 && o.lines.at(o.statements[next-1].Span.End) == line {
		return next - 1
	}
	return -1
}

// AllowLines takes away the findings in a schema that a comment allows: one at the end of the finding's
// line, or one on the lines directly above. What is wrong with such a comment becomes a finding itself.
func AllowLines(src Source, findings []Finding) []Finding {
	comments := allowComments(src.Text)
	if len(comments) == 0 {
		return Sort(slices.Clone(findings))
	}
	lines := linesIn(src.Text)
	below := lines.below()
	for i := range comments {
		comments[i].of = below[lines.at(comments[i].span.Start)]
	}
	return allow(src, comments, findings, func(f Finding) int { return f.Line })
}

// allowComment is one allow comment and the number of the statement or line that it is about.
type allowComment struct {
	span   Span
	ids    []string
	reason string
	of     int
}

func allowComments(text string) []allowComment {
	var found []allowComment
	for _, span := range scanComments(text) {
		if ids, reason, ok := ParseAllow(text[span.Start:span.End]); ok {
			found = append(found, allowComment{span: span, ids: ids, reason: reason})
		}
	}
	return found
}

// allow lets a comment that has something wrong with it allow nothing, so that the fault is still seen.
func allow(src Source, comments []allowComment, findings []Finding, of func(Finding) int) []Finding {
	taken := make([]bool, len(findings))
	about := map[int][]int{}
	for i, f := range findings {
		if f.File == src.Name {
			about[of(f)] = append(about[of(f)], i)
		}
	}
	var faults []Finding
	for _, c := range comments {
		fault := func(message, mend string) {
			faults = append(faults, src.At(allowRule, c.span, message, mend))
		}
		if len(c.ids) == 0 {
			fault("this comment names no rule", "write "+allowMark+" CAS001 and the reason")
		}
		for _, id := range c.ids {
			if _, ok := RuleOf(id); !ok {
				fault(fmt.Sprintf("there is no rule %s", id), "write the ID of a rule: sqlcas explain lists them")
				continue
			}
			if c.reason == "" {
				fault(fmt.Sprintf("%s is allowed without a reason, and so it is not", id), "write after the ID why it is all right here")
				continue
			}
			needed := false
			for _, i := range about[c.of] {
				if strings.EqualFold(findings[i].Rule, id) {
					taken[i], needed = true, true
				}
			}
			if !needed {
				fault(fmt.Sprintf("%s finds nothing here that could be allowed", id), "take the comment out, or put it at the statement that it is about")
			}
		}
	}
	kept := faults
	for i, f := range findings {
		if !taken[i] {
			kept = append(kept, f)
		}
	}
	return Sort(kept)
}
