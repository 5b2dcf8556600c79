package vet

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Text writes a report for people: each fault with its line and a caret under it, and a summary as the last
// line. With verbose it also has the places whose SQL is built at run time, the locking reads of which it is not known
// what they run on, and the statements that were not understood.
func (r Report) Text(w io.Writer, verbose bool) error {
	out := bufio.NewWriter(w)
	for _, f := range r.Findings {
		fmt.Fprintf(out, "%s:%d:%d: %s %s\n", f.File, f.Line, f.Column, f.Rule, f.Message)
		fmt.Fprintf(out, "  %s\n  %s\n", f.Excerpt, caret(f))
		fmt.Fprintf(out, "  mend: %s\n", f.Mend)
	}
	if verbose {
		for _, p := range r.Unknown {
			fmt.Fprintf(out, "%s:%d:%d: not checked, this SQL is built at run time\n", p.File, p.Line, p.Column)
		}
		for _, p := range r.Locks {
			fmt.Fprintf(out, "%s:%d:%d: not checked, this locking read may run on a pool or in a transaction\n", p.File, p.Line, p.Column)
		}
		for _, u := range r.Unparsed {
			fmt.Fprintf(out, "%s:%d:%d: not checked, this statement was not understood: %s\n", u.File, u.Line, u.Column, u.Reason)
		}
	}
	fmt.Fprintln(out, r.Summary())
	return out.Flush()
}

// Summary is the report in a line, with what was not checked.
func (r Report) Summary() string {
	faults := "no faults"
	if n := len(r.Findings); n > 0 {
		faults = number(n, "fault")
	}
	line := fmt.Sprintf("%s in %s", faults, number(r.Statements, "statement"))
	if n := len(r.Unparsed); n > 0 {
		line += fmt.Sprintf("; %s not understood", were(n, "statement"))
	}
	if n := len(r.Unknown); n > 0 {
		line += fmt.Sprintf("; %s built at run time %s not checked", number(n, "string"), verb(n))
	}
	if n := len(r.Locks); n > 0 {
		line += fmt.Sprintf("; it is not known what %s on", runs(n))
	}
	if r.Versioned == 0 {
		line += "; no table of the schema is versioned"
	}
	return line
}

func runs(n int) string {
	if n == 1 {
		return "1 locking read runs"
	}
	return number(n, "locking read") + " run"
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func verb(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func were(n int, noun string) string { return number(n, noun) + " " + verb(n) }

// caret returns the line that underlines a fault. Tabs stay tabs, so that they are as wide as in the line above,
// and a wide character takes two places.
func caret(f sqlcheck.Finding) string {
	var line strings.Builder
	under, column := 0, max(f.From, 1)-1
	for _, r := range f.Excerpt {
		column++
		switch {
		case column >= f.Column+f.Length:
		case column >= f.Column:
			under += places(r)
		case r == '\t':
			line.WriteByte('\t')
		default:
			line.WriteString(strings.Repeat(" ", places(r)))
		}
	}
	return line.String() + "^" + strings.Repeat("~", max(under-1, 0))
}

// places returns how many places of a terminal a character takes.
func places(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
