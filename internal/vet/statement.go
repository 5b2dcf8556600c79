package vet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Unparsed is a statement that the parser does not know, with what it complains of.
type Unparsed struct {
	Position
	Reason string `json:"reason"`
}

// parse reads the statements of a literal. Text that is no SQL at all has none: an Exec may well run something
// else. A text that the parser does not know and that has the name of a versioned table in it is not left out.
// Named parameters where none are expected are for a helper that replaces them before.
func (s *scan) parse(text literal, mark byte) []*sqlcheck.Statement {
	all := s.parseMarked(text, mark)
	for _, mark := range []byte(":@") {
		if !slices.ContainsFunc(all, isUnparsed) {
			return all
		}
		if named := s.parseMarked(text, mark); !slices.ContainsFunc(named, isUnparsed) {
			return named
		}
	}
	return all
}

func isUnparsed(s *sqlcheck.Statement) bool { return s.Unparsed != nil }

func (s *scan) parseMarked(text literal, mark byte) []*sqlcheck.Statement {
	src := sqlcheck.Source{Text: unnamed(text.value, mark)}
	var all []*sqlcheck.Statement
	for _, span := range sqlcheck.Split(src.Text) {
		if one := sqlcheck.Parse(src, span); one.Unparsed == nil || isSQL(one.Text) || s.mentions(one.Text) {
			all = append(all, one)
		}
	}
	return all
}

// isSQL reports whether a text that the parser does not know begins like a statement that reads or writes
// tables.
func isSQL(text string) bool {
	word, _, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ")
	switch strings.ToUpper(strings.TrimLeft(word, "(")) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "TRUNCATE", "LOAD", "CREATE", "ALTER", "DROP":
		return true
	}
	return false
}

// mentions reports whether a text has the name of a versioned table as a word, be it in a string: EXECUTE IMMEDIATE
// runs what is in one.
func (s *scan) mentions(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) }) {
		if s.versioned[strings.ToLower(word)] {
			return true
		}
	}
	return false
}

// checkStatement has the rules look at a statement. They read no strings, and a statement that the parser does not
// know may run what is in one: EXECUTE IMMEDIATE 'UPDATE account ...'.
func (s *scan) checkStatement(q *sqlcheck.Statement) []sqlcheck.Finding {
	found := sqlcheck.Check(s.in, q)
	told := slices.ContainsFunc(found, func(f sqlcheck.Finding) bool { return f.Rule == "CAS028" })
	if q.Unparsed == nil || told || isSQL(q.Text) {
		return found
	}
	return append(found, q.Source.At("CAS028", q.Span,
		"no rule has looked at this statement, which names a versioned table in a string, since the parser does not know it",
		"write what it runs as a constant of its own, or look at it yourself and allow it with a reason"))
}

// noteStatements counts the statements of a literal, and keeps where those are that the parser does not know.
func (s *scan) noteStatements(text literal, statements []*sqlcheck.Statement) {
	s.count.Statements += len(statements)
	for _, q := range statements {
		if q.Unparsed != nil {
			file, span := text.locate(q.Span)
			f := s.at(file, span, sqlcheck.Finding{})
			s.count.Unparsed = append(s.count.Unparsed, Unparsed{Position{f.File, f.Line, f.Column}, reasonOf(q)})
		}
	}
}

// count counts the statements of a file.
func (r *Report) count(statements []*sqlcheck.Statement) {
	r.Statements += len(statements)
	for _, q := range statements {
		if q.Unparsed != nil {
			f := q.Source.At("", q.Span, "", "")
			r.Unparsed = append(r.Unparsed, Unparsed{Position{f.File, f.Line, f.Column}, reasonOf(q)})
		}
	}
}

// inText is how the parser says where it stopped: counted from the statement's beginning, which nobody sees.
var inText = regexp.MustCompile(`^line \d+ column \d+ `)

// reasonOf is the parser's complaint in a line, cut off where it goes on for long: it quotes all of the rest.
func reasonOf(q *sqlcheck.Statement) string {
	const most = 80
	reason := inText.ReplaceAllString(strings.Join(strings.Fields(q.Unparsed.Error()), " "), "")
	if runes := []rune(reason); len(runes) > most {
		return fmt.Sprintf("%s...", string(runes[:most]))
	}
	return reason
}
