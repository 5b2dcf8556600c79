package vet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// check has the rules look at the statements of a literal that a call is given, and returns them.
func (s *scan) check(c *ast.CallExpr, text literal, mark byte) []*sqlcheck.Statement {
	statements := s.parse(text, mark)
	file, at := text.locate(sqlcheck.Span{})
	begin := place{file, at.Start}
	found, again := s.checked[begin]
	if !again {
		for _, statement := range statements {
			found = append(found, s.checkStatement(statement)...)
		}
		found = sqlcheck.Allow(sqlcheck.Source{Text: text.value}, statements, found)
		s.checked[begin] = found
		s.noteStatements(text, statements)
	}
	for _, f := range found {
		file, span := text.locate(spanOf(text.value, f))
		s.report(c, file, span, f)
	}
	return statements
}

// spanOf undoes Source.At: the part of a text that a finding is about.
func spanOf(text string, f sqlcheck.Finding) sqlcheck.Span {
	start := 0
	for range f.Line - 1 {
		start += strings.IndexByte(text[start:], '\n') + 1
	}
	start += characters(text[start:], f.Column-1)
	return sqlcheck.Span{Start: start, End: start + characters(text[start:], f.Length)}
}

// characters returns the length of the first n characters in bytes.
func characters(text string, n int) int {
	length := 0
	for ; n > 0 && length < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[length:])
		length += size
	}
	return length
}

// report notes a finding at a part of a Go file, about a call.
func (s *scan) report(c *ast.CallExpr, file string, span sqlcheck.Span, f sqlcheck.Finding) {
	s.found = append(s.found, goFinding{s.at(file, span, f), s.position(c.Pos())})
}

// at places a finding in a Go file. A byte order mark is no column, and a carriage return no part of a line.
func (s *scan) at(file string, span sqlcheck.Span, f sqlcheck.Finding) sqlcheck.Finding {
	text := s.text(file)
	if rest, marked := strings.CutPrefix(text, byteOrderMark); marked {
		skipped := len(text) - len(rest)
		text = rest
		span = sqlcheck.Span{Start: max(span.Start-skipped, 0), End: max(span.End-skipped, 0)}
	}
	if span.Start <= len(text) {
		if n := strings.Index(text[span.Start:], "\r\n"); n >= 0 {
			span.End = min(span.End, span.Start+n)
		}
	}
	return sqlcheck.Source{Name: s.shown(file), Text: text}.At(f.Rule, span, f.Message, f.Mend)
}

// checkRun looks at how a statement is run: whether anybody reads the row count of a compare-and-swap, and
// whether a lock outlives its statement.
func (s *scan) checkRun(info *types.Info, cur inspector.Cursor, fn *types.Func, q *sqlcheck.Statement, on handle) {
	c := cur.Node().(*ast.CallExpr)
	subject := "this statement"
	if q.Query != nil {
		subject = fn.Name()
	}
	if q.IsSwap(s.in.Catalog) {
		s.checkSwap(info, cur, fn, q, subject)
	}
	if q.Locks() {
		s.checkLock(c, subject, on)
	}
}

// checkSwap looks at whether anybody can look at the row count of a compare-and-swap, and does. What sqlc generates
// without a count comes of a query that a rule of its own is about.
func (s *scan) checkSwap(info *types.Info, cur inspector.Cursor, fn *types.Func, q *sqlcheck.Statement, subject string) {
	c := cur.Node().(*ast.CallExpr)
	if counts(fn.Signature()) {
		if at, dropped := s.dropped(info, cur); dropped {
			s.reportNode(c, at, sqlcheck.Finding{
				Rule:    "CAS004",
				Message: "nobody looks at the number of rows that " + subject + " wrote: 0 means that another writer was faster, and that nothing was written",
				Mend:    "let optimistic.One have the count and the error, or return an error of your own for 0 rows",
			})
		}
		return
	}
	if q.Query == nil && blind(fn.Signature()) && !s.wrappers.looks(s, fn) {
		s.reportNode(c, called(c), sqlcheck.Finding{
			Rule: "CAS004",
			Message: fn.Name() + " does not tell how many rows " + subject +
				" wrote: 0 means that another writer was faster, and that nothing was written",
			Mend: "run it with what returns a sql.Result or a count, and let optimistic.One have that and the error",
		})
	}
}

// checkLock looks at what a locking read runs on.
func (s *scan) checkLock(c *ast.CallExpr, subject string, on handle) {
	at := called(c)
	if on.unknown() {
		s.locks = append(s.locks, s.position(at.Pos()))
	}
	if !on.onPool() {
		return
	}
	origin := ""
	if on.from != nil {
		p := s.position(on.from.Pos())
		origin = fmt.Sprintf(" (the one of %s:%d)", p.File, p.Line)
	}
	s.reportNode(c, at, sqlcheck.Finding{
		Rule:    "CAS008",
		Message: subject + " locks rows on a pool of connections" + origin + ", outside of a transaction: the lock is gone as soon as the statement has run",
		Mend:    "run it on the *sql.Tx of the transaction that needs the lock, or leave the locking clause away",
	})
}

func (s *scan) reportNode(c *ast.CallExpr, at ast.Node, f sqlcheck.Finding) {
	start, end := s.fset.PositionFor(at.Pos(), false), s.fset.PositionFor(at.End(), false)
	s.report(c, start.Filename, sqlcheck.Span{Start: start.Offset, End: end.Offset}, f)
}

// called is the name of the function that a call calls.
func called(c *ast.CallExpr) ast.Node {
	if selector, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		return selector.Sel
	}
	return c.Fun
}

func (s *scan) position(pos token.Pos) Position {
	p := s.fset.PositionFor(pos, false)
	at := s.at(p.Filename, sqlcheck.Span{Start: p.Offset, End: p.Offset}, sqlcheck.Finding{})
	return Position{File: at.File, Line: at.Line, Column: at.Column}
}

// compare orders positions by file, line and column.
func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}
