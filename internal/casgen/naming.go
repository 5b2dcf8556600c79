package casgen

import (
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jinzhu/inflection"
)

// Naming names things in Go as sqlc's gen.go does, from the same options: what it says is what the package
// has. A Naming never changes and may be shared.
type Naming struct {
	options     GoOptions
	rename      map[string]string
	initialisms map[string]bool
	overrides   []override
	err         error // what is wrong with an override: Type returns it
}

// NewNaming returns the naming that those options ask for. Options without gen.go name things as an empty
// gen.go does.
func NewNaming(o Options) Naming {
	n := Naming{rename: map[string]string{}, initialisms: map[string]bool{"id": true}}
	if o.Go != nil {
		n.options = *o.Go
	}
	if n.options.Initialisms != nil {
		n.initialisms = map[string]bool{}
		for _, word := range *n.options.Initialisms {
			n.initialisms[word] = true
		}
	}
	// The top level's names win over the block's, while of its type overrides the first to match does, which
	// is the top level's too.
	all := n.options.Overrides
	for from, to := range n.options.Rename {
		n.rename[from] = to
	}
	if o.Overrides != nil {
		all = append(append([]Override{}, o.Overrides.Overrides...), all...)
		for from, to := range o.Overrides.Rename {
			n.rename[from] = to
		}
	}
	n.overrides, n.err = readOverrides(all)
	return n
}

// Struct returns the name of the struct that sqlc makes of a table.
func (n Naming) Struct(table string) string {
	return n.Name(n.structKey(table))
}

// structKey returns the name by which gen.go's rename knows a table's struct.
func (n Naming) structKey(table string) string {
	name := strings.ToLower(table) // sqlc's catalogue has lower case only
	if n.options.EmitExactTableNames {
		return name
	}
	return singular(name, n.options.InflectionExcludeTableNames)
}

// Name returns the name of the field that sqlc makes of a column or a parameter. It may be no identifier of
// Go, and it may be another column's too: sqlc makes code that does not compile then.
func (n Naming) Name(identifier string) string {
	identifier = strings.ToLower(identifier)
	if to := n.rename[identifier]; to != "" {
		return to
	}
	var out strings.Builder
	for _, word := range strings.Split(strings.Map(wordRune, identifier), "_") {
		if n.initialisms[word] {
			out.WriteString(strings.ToUpper(word))
		} else {
			out.WriteString(capitalized(word))
		}
	}
	if first, _ := utf8.DecodeRuneInString(out.String()); unicode.IsDigit(first) {
		return "_" + out.String()
	}
	return out.String()
}

// Arg returns the name of the argument that sqlc makes of a parameter that a method takes without a struct.
// It is a word of letters, digits and underscores that is asked for: sqlc leaves anything else as it is.
func (n Naming) Arg(identifier string) string {
	var out strings.Builder
	for i, word := range strings.Split(strings.ToLower(identifier), "_") {
		switch {
		case i == 0:
			out.WriteString(word)
		case word == "id": // whatever the initialisms are
			out.WriteString("ID")
		default:
			out.WriteString(capitalized(word))
		}
	}
	// q is the receiver.
	if name := out.String(); token.IsKeyword(name) || name == "q" {
		return name + "_"
	}
	return out.String()
}

// constant returns what sqlc calls the text of a query.
func (n Naming) constant(query string) string {
	first, size := utf8.DecodeRuneInString(query)
	change := unicode.ToLower
	if n.options.EmitExportedQueries {
		change = unicode.ToUpper
	}
	return string(change(first)) + query[size:]
}

// singular is sqlc's: that of the inflection package, but for words that it gets wrong.
func singular(name string, exclusions []string) string {
	for _, exclusion := range exclusions {
		if strings.EqualFold(name, exclusion) {
			return name
		}
	}
	switch name {
	case "campus", "meta", "metadata":
		return name
	case "calories":
		return "calorie"
	case "waves":
		return "wave"
	}
	return inflection.Singular(name)
}

// wordRune makes an underscore of what cannot be in an identifier.
func wordRune(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}

func capitalized(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	if size == 0 {
		return word
	}
	return string(unicode.ToTitle(first)) + word[size:]
}
