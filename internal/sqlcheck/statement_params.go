package sqlcheck

import "strings"

// Param is one place in a statement that takes an argument.
type Param struct {
	Kind ParamKind
	Name string // of sqlc.arg and its kin, without quotes; empty for ?
	Span Span   // in the source, the whole of sqlc.arg(name)
}

// ParamKind is how a parameter is written.
type ParamKind uint8

const (
	ParamMark  ParamKind = iota // ?
	ParamArg                    // sqlc.arg(name)
	ParamNarg                   // sqlc.narg(name): may be NULL
	ParamSlice                  // sqlc.slice('name'): as many values as the caller gives
)

// Params returns the parameters in the order in which they are written. It reads the text, so that it
// knows those of a statement that the parser does not know too. An argument that is written several
// times is there as often.
func (s *Statement) Params() []Param {
	var params []Param
	tokens := scanTokens(s.Text)
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind == tokenSign && t.text == "?" {
			params = append(params, Param{ParamMark, "", s.inSource(t.span)})
			continue
		}
		p, length := readMacro(tokens[i:])
		if length == 0 {
			continue
		}
		p.Span = s.inSource(Span{t.span.Start, tokens[i+length-1].span.End})
		params = append(params, p)
		i += length - 1
	}
	return params
}

// readMacro reads sqlc.arg(name) and its kin at the start of tokens, and says how many it is made of.
func readMacro(tokens []token) (Param, int) {
	const length = 6 // sqlc . arg ( name )
	if len(tokens) < length || !tokens[0].is("sqlc") || !tokens[1].is(".") || !tokens[3].is("(") || !tokens[5].is(")") {
		return Param{}, 0
	}
	p := Param{Name: strings.Trim(tokens[4].text, `'"`)}
	switch {
	case tokens[2].is("arg"):
		p.Kind = ParamArg
	case tokens[2].is("narg"):
		p.Kind = ParamNarg
	case tokens[2].is("slice"):
		p.Kind = ParamSlice
	default:
		return Param{}, 0
	}
	return p, length
}
