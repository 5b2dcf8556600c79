package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// literal is a string that is known without running the program, with the places that its bytes come from: the
// fault is in the literal that a constant is made of, not in the call that names the constant.
type literal struct {
	value string
	parts []part
}

// part is a stretch of a literal's value that was written in one place.
type part struct {
	start int    // of the stretch, in the value
	file  string // as the FileSet calls it
	at    []int  // the offset in the file of each byte of the stretch, then that of its end
}

// locate returns the place of a span of the value. What is written in several places is cut off at the end of
// the first.
func (l literal) locate(span sqlcheck.Span) (file string, in sqlcheck.Span) {
	for i := len(l.parts) - 1; i >= 0; i-- {
		p := l.parts[i]
		if span.Start < p.start && i > 0 {
			continue
		}
		last := len(p.at) - 1
		start, end := min(span.Start-p.start, last), min(span.End-p.start, last)
		for end < last && p.at[end] == p.at[start] {
			end++ // inside of a name that stands for all of the part
		}
		return p.file, sqlcheck.Span{Start: p.at[start], End: p.at[end]}
	}
	return "", sqlcheck.Span{}
}

// join appends what follows in a concatenation.
func (l literal) join(next literal) literal {
	joined := literal{value: l.value + next.value, parts: append([]part(nil), l.parts...)}
	for _, p := range next.parts {
		p.start += len(l.value)
		joined.parts = append(joined.parts, p)
	}
	return joined
}

// literalOf finds the value of an expression: a constant, or a variable that gets a constant once and nothing
// else ever. ok is false for what only the running program knows.
func (s *scan) literalOf(info *types.Info, expr ast.Expr) (l literal, ok bool) {
	return s.literalWithin(info, expr, maxSteps)
}

// maxSteps is how many names are followed: q = q + " FOR UPDATE" leads to itself.
const maxSteps = 50

func (s *scan) literalWithin(info *types.Info, expr ast.Expr, steps int) (l literal, ok bool) {
	if steps == 0 {
		return literal{}, false
	}
	expr = ast.Unparen(expr)
	switch e := expr.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return s.written(e)
		}
	case *ast.BinaryExpr:
		if left, ok := s.operand(info, e.X, steps-1); ok && e.Op == token.ADD {
			if right, ok := s.operand(info, e.Y, steps-1); ok {
				return left.join(right), true
			}
		}
		return literal{}, false
	case *ast.Ident:
		if source, ok := s.sources.of(info.ObjectOf(e)); ok {
			return s.literalWithin(source.info, source.expr, steps-1)
		}
	case *ast.SelectorExpr:
		if source, ok := s.sources.of(info.ObjectOf(e.Sel)); ok {
			return s.literalWithin(source.info, source.expr, steps-1)
		}
	}
	return s.opaque(info, expr)
}

// operand is a part of a concatenation. Of one that has a name the name is what the concatenation shows, and
// the place to look at: the constant itself, a table's name say, is not at fault.
func (s *scan) operand(info *types.Info, expr ast.Expr, steps int) (literal, bool) {
	l, ok := s.literalWithin(info, expr, steps)
	switch ast.Unparen(expr).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return s.whole(l.value, expr), ok
	}
	return l, ok
}

// opaque is a constant whose text is out of sight, in a package that is not looked at.
func (s *scan) opaque(info *types.Info, expr ast.Expr) (literal, bool) {
	v := info.Types[expr].Value
	if v == nil || v.Kind() != constant.String {
		return literal{}, false
	}
	return s.whole(constant.StringVal(v), expr), true
}

// whole is a text all of which is at one expression.
func (s *scan) whole(value string, expr ast.Expr) literal {
	start, end := s.fset.PositionFor(expr.Pos(), false), s.fset.PositionFor(expr.End(), false)
	at := make([]int, len(value)+1)
	for i := range at {
		at[i] = start.Offset
	}
	at[len(value)] = end.Offset
	return literal{value: value, parts: []part{{file: start.Filename, at: at}}}
}

// written maps a literal byte by byte: an escape is several bytes in the file and one or more in the value.
func (s *scan) written(lit *ast.BasicLit) (literal, bool) {
	start := s.fset.PositionFor(lit.Pos(), false)
	text := s.text(start.Filename)
	from := start.Offset + 1
	to := from + len(lit.Value) - 2
	if lit.Value[0] == '`' {
		// The scanner leaves carriage returns out of the value, which makes it shorter than the text.
		if n := strings.IndexByte(text[min(from, len(text)):], '`'); n >= 0 {
			to = from + n
		}
	}
	if to < from || to > len(text) {
		return literal{}, false // the file has changed since it was loaded
	}
	var value strings.Builder
	var at []int
	for rest := text[from:to]; rest != ""; {
		offset := to - len(rest)
		var bytes string
		if bytes, rest = unquote(rest, lit.Value[0]); rest == "" && bytes == "" {
			break
		}
		for range len(bytes) {
			at = append(at, offset)
		}
		value.WriteString(bytes)
	}
	at = append(at, to)
	return literal{value: value.String(), parts: []part{{file: start.Filename, at: at}}}, true
}

// unquote takes one character or escape off the inside of a literal.
func unquote(text string, quote byte) (value, rest string) {
	if quote == '`' {
		if text[0] == '\r' {
			return "", text[1:]
		}
		return text[:1], text[1:]
	}
	r, multibyte, rest, err := strconv.UnquoteChar(text, quote)
	if err != nil {
		return "", ""
	}
	if r < utf8.RuneSelf || !multibyte {
		return string([]byte{byte(r)}), rest
	}
	return string(r), rest
}
