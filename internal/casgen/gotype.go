package casgen

import (
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Kind says what a GoType is, as far as code that handles a value of it must know.
type Kind uint8

// The kinds of Go types.
const (
	KindOther       Kind = iota // an override's type of which nothing is known
	KindInteger                 // GoType.Bits and GoType.Signed say which
	KindString                  // string
	KindBytes                   // []byte
	KindTime                    // time.Time
	KindBool                    // bool
	KindFloat                   // float32, float64
	KindEnum                    // a string type of the package's own
	KindNullWrapper             // sql.NullX, or the package's own NullX of an ENUM
	KindPointer                 // *T
	KindSlice                   // []T of anything but bytes
	KindRawJSON                 // json.RawMessage
	KindAny                     // interface{}
)

// GoType is what sqlc makes of a column.
type GoType struct {
	Text    string   // as it is written in the package: "uint64", "uuid.UUID", "*Foo"
	Imports []Import // what writing it needs
	Kind    Kind
	Bits    int  // of a KindInteger
	Signed  bool // of a KindInteger
}

// Import is one import of Go.
type Import struct {
	Path  string
	Alias string // empty for none
}

// Type returns what sqlc makes of a column. The error is one of the options: an override that cannot be read.
func (n Naming) Type(t *sqlcheck.Table, c *sqlcheck.Column) (GoType, error) {
	return n.typeAs(t, c, dbType(t, c))
}

// typeAs is Type for a column of whose type it is known what sqlc calls it.
func (n Naming) typeAs(t *sqlcheck.Table, c *sqlcheck.Column, dbType string) (GoType, error) {
	if n.err != nil {
		return GoType{}, n.err
	}
	table, column := strings.ToLower(t.Name), strings.ToLower(c.Name)
	for _, o := range n.overrides {
		if o.isColumn(table, column) {
			return o.goType, nil
		}
	}
	for _, o := range n.overrides {
		if o.isType(dbType, c) {
			return o.goType, nil
		}
	}
	if len(c.Elements) > 0 {
		name := n.Name(dbType)
		if c.NotNull {
			return GoType{Text: name, Kind: KindEnum}, nil
		}
		return GoType{Text: "Null" + name, Kind: KindNullWrapper}, nil
	}
	return goTypeOf(plainType(c)), nil
}

// dbType returns what sqlc calls a column's type: a type of its own for each ENUM and SET. It has the names that
// table and column had when the column was made, which are no longer theirs if the column was copied by LIKE or one
// of them was renamed since: that is not seen here, and sqlc's request says it.
func dbType(t *sqlcheck.Table, c *sqlcheck.Column) string {
	if len(c.Elements) > 0 {
		return strings.ToLower(t.Name + "_" + c.Name)
	}
	return c.Type
}

// plainType is sqlc's table of types, without overrides.
func plainType(c *sqlcheck.Column) string {
	switch c.Type {
	case "varchar", "text", "char", "tinytext", "mediumtext", "longtext", "decimal":
		return orNull(c, "string", "sql.NullString")
	case "blob", "binary", "varbinary", "tinyblob", "mediumblob", "longblob":
		return orNull(c, "[]byte", "sql.NullString")
	case "tinyint":
		if c.Length == 1 {
			return orNull(c, "bool", "sql.NullBool")
		}
		return orNull(c, signed(c, "int8"), "sql.NullInt16")
	case "year": // has UNSIGNED set, yet is signed in Go
		return orNull(c, "int16", "sql.NullInt16")
	case "smallint":
		return orNull(c, signed(c, "int16"), "sql.NullInt16")
	case "int", "mediumint":
		return orNull(c, signed(c, "int32"), "sql.NullInt32")
	case "bigint":
		return orNull(c, signed(c, "int64"), "sql.NullInt64")
	case "double", "float":
		return orNull(c, "float64", "sql.NullFloat64")
	case "date", "timestamp", "datetime", "time":
		return orNull(c, "time.Time", "sql.NullTime")
	case "json":
		return "json.RawMessage"
	}
	return "interface{}"
}

func orNull(c *sqlcheck.Column, notNull, null string) string {
	if c.NotNull {
		return notNull
	}
	return null
}

func signed(c *sqlcheck.Column, text string) string {
	if c.Unsigned {
		return "u" + text
	}
	return text
}

// standard is where the types come from that sqlc imports without being told.
var standard = map[string]string{
	"json.RawMessage": "encoding/json", "time.Time": "time", "net.IP": "net", "net.HardwareAddr": "net",
	"netip.Addr": "net/netip", "netip.Prefix": "net/netip",
	"uuid.UUID": "github.com/google/uuid", "uuid.NullUUID": "github.com/google/uuid",
}

// goTypeOf tells what a type is by its text. The imports are those that sqlc knows of itself.
func goTypeOf(text string) GoType {
	g := GoType{Text: text}
	bare := strings.TrimLeft(text, "[]*")
	if path := standard[bare]; path != "" {
		g.Imports = []Import{{Path: path}}
	} else if strings.HasPrefix(bare, "sql.Null") {
		g.Imports = []Import{{Path: "database/sql"}}
	}
	switch text {
	case "string":
		g.Kind = KindString
	case "[]byte", "[]uint8":
		g.Kind = KindBytes
	case "time.Time":
		g.Kind = KindTime
	case "bool":
		g.Kind = KindBool
	case "float32", "float64":
		g.Kind = KindFloat
	case "json.RawMessage":
		g.Kind = KindRawJSON
	case "interface{}", "any":
		g.Kind = KindAny
	case "int", "int64":
		g.Kind, g.Bits, g.Signed = KindInteger, 64, true
	case "int32", "rune":
		g.Kind, g.Bits, g.Signed = KindInteger, 32, true
	case "int16":
		g.Kind, g.Bits, g.Signed = KindInteger, 16, true
	case "int8":
		g.Kind, g.Bits, g.Signed = KindInteger, 8, true
	case "uint", "uint64":
		g.Kind, g.Bits = KindInteger, 64
	case "uint32":
		g.Kind, g.Bits = KindInteger, 32
	case "uint16":
		g.Kind, g.Bits = KindInteger, 16
	case "uint8", "byte":
		g.Kind, g.Bits = KindInteger, 8
	default:
		g.Kind = kindByShape(text)
	}
	return g
}

func kindByShape(text string) Kind {
	switch {
	case strings.HasPrefix(text, "*"):
		return KindPointer
	case strings.HasPrefix(text, "[]"):
		return KindSlice
	case strings.HasPrefix(text, "sql.Null"):
		return KindNullWrapper
	}
	return KindOther
}
