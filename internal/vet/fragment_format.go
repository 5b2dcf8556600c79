package vet

import (
	"go/ast"
	"regexp"
	"strings"
)

// directive is one of a format: %s, %-5d, %[1]q, %%.
var directive = regexp.MustCompile(`%[-+# 0]*(\[\d+\])?[\d*]*(\.[\d*]*)?(\[\d+\])?[a-zA-Z%]`)

// format puts the arguments into a format, so far as both are constant. The arguments of a format that counts
// them itself, by [1] or *, are not known.
func (f *fragments) format(args []ast.Expr) []string {
	var all []string
	for _, text := range f.of(args[0]) {
		all = append(all, f.fill(text, args[1:])...)
	}
	return all[:min(len(all), mostTexts)]
}

func (f *fragments) fill(text string, args []ast.Expr) []string {
	found := directive.FindAllStringIndex(text, -1)
	counts := strings.ContainsAny(text, "[*")
	filled, end := []string{""}, 0
	for _, at := range found {
		verb := text[at[1]-1]
		filled = cross(filled, []string{text[end:at[0]]})
		end = at[1]
		switch {
		case verb == '%':
			filled = cross(filled, []string{"%"})
			continue
		case strings.IndexByte("sv", verb) < 0:
			filled = cross(filled, []string{"0"}) // a number goes on with the word before it: account_%d
		case counts || len(args) == 0:
			filled = cross(filled, unknownText)
		default:
			filled = cross(filled, f.of(args[0]))
		}
		args = args[min(1, len(args)):]
	}
	return cross(filled, []string{text[end:]})
}
