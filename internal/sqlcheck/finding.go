package sqlcheck

import (
	"cmp"
	"slices"
	"strings"
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
	Excerpt string // the line that the fault is in, as it is in the file; of a long line, the part around the fault
	From    int    // the column at which Excerpt begins: 1, unless the line is long
	Message string // what is wrong, naming the thing
	Mend    string // what to write instead
}

// Of a line that is longer than longest characters, an excerpt has that many, and before of them in front
// of the fault: dumps and generated code have lines that nobody could look at.
const (
	longest = 200
	before  = 80
)

// At makes a finding of a rule about a part of a source.
func (src Source) At(rule string, span Span, message, mend string) Finding {
	l := linesIn(src.Text)
	start := min(max(span.Start, 0), len(src.Text))
	line := l.at(start)
	whole := l.span(line)
	end := min(max(span.End, start), whole.End)
	first, fault := l.characters(whole.Start), l.characters(start)
	f := Finding{
		Rule: rule, File: src.Name,
		Line:    line,
		Column:  fault - first + 1,
		Length:  max(l.characters(end)-fault, 1),
		From:    1,
		Message: message, Mend: mend,
	}
	if last := l.characters(whole.End); last-first > longest {
		from := max(min(fault-before, last-longest), first)
		f.From = from - first + 1
		whole = Span{l.offset(from), l.offset(from + longest)}
	}
	f.Excerpt = strings.TrimRight(src.Text[whole.Start:whole.End], "\r")
	return f
}

// Sort orders findings by file, line, column and rule, and drops those that are there twice.
func Sort(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(findings)
}
