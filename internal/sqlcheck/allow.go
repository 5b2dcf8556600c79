package sqlcheck

import (
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

// Allow takes away the findings in a file of queries that a comment allows: one within the statement or at
// its end, one among the comments between its name and it, or one on the lines directly above. What
// is wrong with such a comment becomes a finding itself. Call it once, with the findings of all rules.
func Allow(src Source, statements []*Statement, findings []Finding) []Finding {
	comments := allowComments(src.Text)
	if len(comments) == 0 {
		return findings
	}
	lines := newLines(src.Text)
	for i := range comments {
		line := lines.at(comments[i].span.Start)
		for _, s := range statements {
			first, last := lines.reach(s)
			if line >= first && line <= last {
				comments[i].first, comments[i].last = first, last
				break
			}
		}
	}
	return allow(src, comments, findings)
}

// AllowLines takes away the findings in a schema that a comment allows: one at the end of the finding's
// line, or one on the lines directly above. What is wrong with such a comment becomes a finding itself.
func AllowLines(src Source, findings []Finding) []Finding {
	comments := allowComments(src.Text)
	lines := newLines(src.Text)
	for i := range comments {
		line := lines.at(comments[i].span.Start)
		for line < len(lines.text) && lines.isComment(line) {
			line++
		}
		comments[i].first, comments[i].last = line, line
	}
	return allow(src, comments, findings)
}

// allowComment is one allow comment and the lines that it is about, from 1; none is 0 to 0.
type allowComment struct {
	span        Span
	ids         []string
	reason      string
	first, last int
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
func allow(src Source, comments []allowComment, findings []Finding) []Finding {
	taken := make([]bool, len(findings))
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
			for i, f := range findings {
				if strings.EqualFold(f.Rule, id) && f.File == src.Name && f.Line >= c.first && f.Line <= c.last {
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

// lines are the lines of a text, from 1.
type lines struct {
	text   []string
	starts []int
}

func newLines(text string) lines {
	l := lines{text: strings.Split(text, "\n")}
	at := 0
	for _, line := range l.text {
		l.starts = append(l.starts, at)
		at += len(line) + 1
	}
	return l
}

// at returns the line of an offset.
func (l lines) at(offset int) int {
	i, found := slices.BinarySearch(l.starts, offset)
	if found {
		return i + 1
	}
	return i
}

// isComment reports whether a line is a comment and nothing else.
func (l lines) isComment(line int) bool {
	text := strings.TrimSpace(l.text[line-1])
	if text == "" || !isComment(text) {
		return false
	}
	return !strings.HasPrefix(text, "/*") || strings.HasSuffix(text, "*/")
}

// reach returns the lines that a statement's allow comments may be on: those of its name, of itself, and of
// the comments directly above.
func (l lines) reach(s *Statement) (first, last int) {
	first, last = l.at(s.Span.Start), l.at(max(s.Span.End-1, s.Span.Start))
	if s.Query != nil {
		first = min(first, l.at(s.Query.Span.Start))
	}
	for first > 1 && l.isComment(first-1) {
		first--
	}
	return first, last
}
