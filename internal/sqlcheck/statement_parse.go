package sqlcheck

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/parser"
)

var (
	errNoStatement = errors.New("there is no statement in it")
	errSeveral     = errors.New("it is several statements")
)

// parsers are kept because making one costs more than parsing a short statement, and one at a time may
// use a parser.
var parsers = sync.Pool{New: func() any { return parser.New() }}

// Parse reads the one statement of a span. It never panics and never guesses: text that the parser does
// not know, such as MariaDB's RETURNING, gives a Statement whose Node is nil and whose Unparsed says why.
// Query stays nil, see Queries.
func Parse(src Source, span Span) *Statement {
	start := min(max(span.Start, 0), len(src.Text))
	end := min(max(span.End, start), len(src.Text))
	s := &Statement{Source: src, Span: Span{start, end}, Text: src.Text[start:end]}
	s.Node, s.Unparsed = parse(s.Text)
	if s.Unparsed != nil {
		// Some words are reserved in this parser and not in sqlc's, and good names for an argument:
		// sqlc.arg(before). The tree then has other names there, see Params for the right ones.
		if masked := maskMacros(s.Text); masked != s.Text {
			if node, err := parse(masked); err == nil {
				s.Node, s.Unparsed = node, nil
			}
		}
	}
	return s
}

// maskMacros writes a name of the same length that is not reserved into each sqlc.arg(name) and its kin.
func maskMacros(text string) string {
	masked := []byte(text)
	tokens := scanTokens(text)
	for i := range tokens {
		if _, length := readMacro(tokens[i:]); length > 0 && tokens[i+4].kind == tokenWord {
			name := tokens[i+4].span
			copy(masked[name.Start:name.End], strings.Repeat("_", name.End-name.Start))
		}
	}
	return string(masked)
}

// parse keeps a parser that panicked out of the pool: what it left half done is not known.
func parse(text string) (node ast.StmtNode, err error) {
	if err := bounded(text); err != nil {
		return nil, err
	}
	p := parsers.Get().(*parser.Parser)
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, fmt.Errorf("the parser failed: %v", r)
			return
		}
		parsers.Put(p)
	}()
	nodes, _, err := p.ParseSQL(text)
	switch {
	case err != nil:
		return nil, err
	case len(nodes) == 0:
		return nil, errNoStatement
	case len(nodes) > 1:
		return nil, errSeveral
	case joinsTooMany(nodes[0]):
		return nil, errTooWide
	}
	return nodes[0], nil
}
