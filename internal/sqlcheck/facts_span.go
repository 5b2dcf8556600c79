package sqlcheck

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/sqlc-dev/marino/ast"
)

// places finds where the parts of one statement are written. The parser says where an expression and most
// table names begin, and nothing about where they end or where anything else is: the rest is looked up in
// the statement's tokens. They are scanned once, and only if something is looked up: an INSERT may have
// thousands of rows, and most statements have no fault.
type places struct {
	in   *Statement
	scan func() []token
}

func placesOf(s *Statement) places {
	return places{s, sync.OnceValue(func() []token { return scanTokens(s.Text) })}
}

// inSource makes a span of the statement one of its source.
func (s *Statement) inSource(span Span) Span {
	return Span{s.Span.Start + span.Start, s.Span.Start + span.End}
}

// from returns which token a place in the statement is in or before; it may be past the last one.
func (p places) from(at int) int {
	i, _ := slices.BinarySearchFunc(p.scan(), at, func(t token, at int) int { return cmp.Compare(t.span.End, at+1) })
	return i
}

// expr is where an expression is written.
func (p places) expr(e ast.ExprNode) Span { return p.in.inSource(p.exprTokens(e)) }

func (p places) exprTokens(e ast.ExprNode) Span {
	start, last := extent(e)
	tokens := p.scan()
	first := p.from(start)
	if first == len(tokens) {
		return Span{start, start}
	}
	span, depth := tokens[first].span, 0
	for _, t := range tokens[first:] {
		if t.is(")") {
			depth--
		}
		if depth < 0 || depth == 0 && t.span.Start > last && endsExpr(t) {
			break
		}
		if t.is("(") {
			depth++
		}
		span.End = t.span.End
	}
	return span
}

// extent returns where the first and the last part of an expression begin.
func extent(e ast.ExprNode) (start, last int) {
	start = e.OriginTextPosition()
	last = start
	inspect(e, func(n ast.Node) bool {
		if part, ok := n.(ast.ExprNode); ok {
			last = max(last, part.OriginTextPosition())
		}
		return true
	})
	return start, last
}

// endsExpr reports whether a token after the last part of an expression is no more of it.
func endsExpr(t token) bool {
	if t.kind == tokenSign {
		return slices.Contains([]string{",", "&", "|", ";"}, t.text)
	}
	return t.kind == tokenWord && slices.Contains([]string{
		"and", "or", "xor", "where", "order", "group", "having", "limit", "for", "lock", "on", "set", "join", "inner",
		"left", "right", "cross", "straight_join", "natural", "union", "except", "intersect", "as", "into", "window",
	}, strings.ToLower(t.text))
}

// set is where an assignment is written, from its column to the end of its value.
func (p places) set(a *ast.Assignment) Span {
	tokens, span := p.scan(), p.exprTokens(a.Expr)
	i := p.from(span.Start)
	for i--; i >= 0 && (tokens[i].is("=") || tokens[i].is(":")); i-- {
	}
	for i >= 2 && tokens[i-1].is(".") {
		i -= 2
	}
	if i >= 0 {
		span.Start = tokens[i].span.Start
	}
	return p.in.inSource(span)
}

// table is where a table is named. The parser does not say it of every table: then it is the first word
// of that name.
func (p places) table(n *ast.TableName) Span {
	for _, t := range p.scan()[p.from(n.OriginTextPosition()):] {
		if t.kind == tokenWord && t.is(n.Name.O) {
			return p.in.inSource(t.span)
		}
	}
	return p.in.Span
}

// ref is where a scope names a table.
func (p places) ref(r *ref) Span {
	if r.node == nil {
		return p.in.Span
	}
	return p.table(r.node)
}

// where is WHERE's expression, or the table's name where there is no WHERE.
func (p places) where(sc *scope, r *ref) Span {
	if sc.where == nil {
		return p.ref(r)
	}
	return p.expr(sc.where)
}

// lock is the first locking clause after a table's name at the same depth of brackets.
func (p places) lock(r *ref) Span {
	after, tokens, depth := p.ref(r), p.scan(), 0
	for i, t := range tokens {
		switch {
		case p.in.inSource(t.span).Start < after.Start:
			continue
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if depth < 0 || i+1 == len(tokens) {
			break
		}
		next := tokens[i+1]
		if depth == 0 && (t.is("for") && (next.is("update") || next.is("share")) || t.is("lock") && next.is("in")) {
			return p.in.inSource(Span{t.span.Start, next.span.End})
		}
	}
	return after
}
