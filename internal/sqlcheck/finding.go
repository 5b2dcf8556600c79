package sqlcheck

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Source is a text with SQL in it: a file of queries, a migration.
type Source struct {
	Name string // the file, as findings are to call it
	Text string
}

// Span is a part of a Source, in bytes: the fault that a caret stands under.
type Span struct{ Start, End int }

// Finding is one fault at one place.
type Finding struct {
	Rule    string // the Rule's ID, such as CAS001
	File    string
	Line    int    // from 1
	Column  int    // from 1, in characters
	Length  int    // of the fault in characters, at least 1; never past its line's end
	Excerpt string // the line that the fault is in, as it is in the file
	Message string // what is wrong, naming the thing
	Mend    string // what to write instead
}

// At makes a finding of a rule about a part of a source.
func (src Source) At(rule string, span Span, message, mend string) Finding {
	start := min(max(span.Start, 0), len(src.Text))
	from := strings.LastIndexByte(src.Text[:start], '\n') + 1
	to := len(src.Text)
	if n := strings.IndexByte(src.Text[start:], '\n'); n >= 0 {
		to = start + n
	}
	end := min(max(span.End, start), to)
	return Finding{
		Rule: rule, File: src.Name,
		Line:    strings.Count(src.Text[:start], "\n") + 1,
		Column:  utf8.RuneCountInString(src.Text[from:start]) + 1,
		Length:  max(utf8.RuneCountInString(src.Text[start:end]), 1),
		Excerpt: strings.TrimRight(src.Text[from:to], "\r"),
		Message: message, Mend: mend,
	}
}

// Sort orders findings by file, line, column and rule, and drops those that are there twice.
func Sort(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(findings)
}
