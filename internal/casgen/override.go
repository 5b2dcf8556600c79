package casgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"regexp"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// override is an Override that has been read.
type override struct {
	Override
	schema, table, column *regexp.Regexp // nil for an override of a type
	goType                GoType
}

// defaultSchema is what sqlc calls the one schema of MySQL.
const defaultSchema = "public"

func (o override) isColumn(table, column string) bool {
	return o.column != nil && o.goType.Text != "" && o.column.MatchString(column) && o.table.MatchString(table) &&
		o.schema.MatchString(defaultSchema)
}

func (o override) isType(dbType string, c *sqlcheck.Column) bool {
	return o.DBType != "" && o.goType.Text != "" && o.DBType == dbType && o.Nullable != c.NotNull &&
		o.Unsigned == c.Unsigned
}

// readOverrides reads overrides by sqlc's rules. An override without a go_type, which adds a struct tag, is
// kept: its Text is empty, so that it never is an answer.
func readOverrides(all []Override) ([]override, error) {
	var read []override
	for _, o := range all {
		one, err := readOverride(o)
		if err != nil {
			return nil, err
		}
		read = append(read, one)
	}
	return read, nil
}

func readOverride(from Override) (override, error) {
	o := override{Override: from}
	o.Nullable = o.Nullable || o.Null
	switch {
	case o.PostgresType != "":
		return o, fmt.Errorf("option postgres_type of an override is PostgreSQL's: write db_type: %s", o.PostgresType)
	case o.Column != "" && o.DBType != "":
		return o, fmt.Errorf("an override has both column %q and db_type %q: leave one of the two", o.Column, o.DBType)
	case o.Column == "" && o.DBType == "":
		return o, errors.New("an override has neither column nor db_type: give it one of the two")
	}
	if o.Column != "" {
		if err := o.readColumn(); err != nil {
			return o, err
		}
	}
	var err error
	if o.goType, err = readGoType(o.GoType); err != nil {
		return o, fmt.Errorf("go_type of the override of %s: %w", o.Column+o.DBType, err)
	}
	return o, nil
}

// readColumn reads [[catalog.]schema.]table.column, each of which may have wildcards. MySQL's catalog has no
// name, so that only a wildcard matches it.
func (o *override) readColumn() error {
	parts := strings.Split(o.Column, ".")
	if len(parts) < 2 || len(parts) > 4 {
		return fmt.Errorf("column %q of an override is not table.column: name the table, or write *.%s", o.Column, o.Column)
	}
	if len(parts) == 2 {
		parts = append([]string{defaultSchema}, parts...)
	}
	patterns := make([]*regexp.Regexp, len(parts))
	for i, part := range parts {
		var err error
		if patterns[i], err = wildcard(part); err != nil {
			return fmt.Errorf("column %q of an override: %w", o.Column, err)
		}
	}
	o.schema, o.table, o.column = patterns[len(parts)-3], patterns[len(parts)-2], patterns[len(parts)-1]
	if len(parts) == 4 && !patterns[0].MatchString("") {
		o.column = nil
	}
	return nil
}

// wildcard compiles a pattern in which * is any text and ? any character; \ takes the meaning off the two.
func wildcard(pattern string) (*regexp.Regexp, error) {
	var out strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped && r != '*' && r != '?' && r != '\\':
			return nil, fmt.Errorf(`\%c is no escape: only \*, \? and \\ are`, r)
		case escaped:
			out.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case r == '\\':
			escaped = true
		case r == '*':
			out.WriteString(".*")
		case r == '?':
			out.WriteString(".")
		default:
			out.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if escaped {
		return nil, errors.New(`it ends in \: write \\`)
	}
	return regexp.Compile("^" + out.String() + "$")
}

// goTypeObject is go_type written as a map.
type goTypeObject struct {
	Import  string `json:"import"`
	Package string `json:"package"`
	Type    string `json:"type"`
	Pointer bool   `json:"pointer"`
	Slice   bool   `json:"slice"`
}

func readGoType(raw json.RawMessage) (GoType, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return GoType{}, nil
	}
	if raw[0] == '"' {
		var spec string
		if err := json.Unmarshal(raw, &spec); err != nil {
			return GoType{}, err
		}
		return readGoTypeText(spec)
	}
	var object goTypeObject
	if err := json.Unmarshal(raw, &object); err != nil {
		return GoType{}, errors.New("it is neither a text nor {import, package, type, pointer, slice}")
	}
	return object.read()
}

func (o goTypeObject) read() (GoType, error) {
	if o.Import == "" && o.Package != "" {
		return GoType{}, fmt.Errorf("package %s has no import path: add import", o.Package)
	}
	if o.Type == "" {
		if o.Import != "" || o.Pointer || o.Slice {
			return GoType{}, errors.New("it has no type: add type")
		}
		return GoType{}, nil
	}
	of, alias := o.Package, o.Package
	if o.Package == "" && o.Import != "" {
		of, alias = packageOf(o.Import)
	}
	text := o.Type
	if of != "" {
		text = of + "." + text
	}
	if o.Pointer {
		text = "*" + text
	}
	if o.Slice {
		text = "[]" + text
	}
	return imported(text, o.Import, alias), nil
}

var (
	word     = regexp.MustCompile(`^[a-zA-Z0-9_]+$`)
	nonWord  = regexp.MustCompile(`[^a-zA-Z0-9_]`)
	majorDir = regexp.MustCompile(`^v[0-9]+$`)
)

// packageOf guesses the package's name from its import path as sqlc does, with an alias where the path
// does not end in it.
func packageOf(path string) (name, alias string) {
	parts := strings.Split(path, "/")
	name = parts[len(parts)-1]
	if majorDir.MatchString(name) && len(parts) > 1 {
		name = nonWord.ReplaceAllString(strings.ToLower(parts[len(parts)-2]), "_")
		return name, name
	}
	if word.MatchString(name) {
		return name, ""
	}
	name = nonWord.ReplaceAllString(strings.ToLower(name), "_")
	return name, name
}

// readGoTypeText reads go_type written as a text: a basic type, or an import path, a dot and a name.
func readGoTypeText(spec string) (GoType, error) {
	dot, slash := strings.LastIndexByte(spec, '.'), strings.LastIndexByte(spec, '/')
	if spec == "" {
		return GoType{}, nil
	}
	if dot < 0 && slash < 0 {
		if !isBasic(spec) {
			return GoType{}, fmt.Errorf("%q is not a basic type of Go: write it with its import path, or as {type: %s}", spec, spec)
		}
		return goTypeOf(spec), nil
	}
	if dot < 0 {
		return GoType{}, fmt.Errorf("%q has no type: write path/of/package.Type", spec)
	}
	text := strings.TrimSuffix(strings.TrimPrefix(spec[slash+1:], "go-"), "-go")
	path := spec[:dot]
	if spec[0] == '*' {
		text, path = "*"+text, path[1:]
	}
	return imported(text, path, ""), nil
}

func isBasic(name string) bool {
	for _, t := range types.Typ {
		if t.Info() != 0 && t.Info()&types.IsUntyped == 0 && t.Name() == name {
			return true
		}
	}
	return false
}

// imported is a type with the import that an override gives it.
func imported(text, path, alias string) GoType {
	g := goTypeOf(text)
	if path != "" {
		g.Imports = []Import{{Path: path, Alias: alias}}
	}
	// A package of another path may have the name of a standard one: what its types are is not known.
	if bare := strings.TrimLeft(text, "[]*"); path != "" && standard[bare] != path && path != "database/sql" {
		if g.Kind != KindPointer && g.Kind != KindSlice {
			g.Kind = KindOther
		}
	}
	return g
}
