package sqlcheck

import (
	"github.com/sqlc-dev/marino/ast"
	"github.com/sqlc-dev/marino/mysql"
	"github.com/sqlc-dev/marino/types"
)

// column takes a definition over. The item is what the statement says of the column, from its name on.
func (s *ddl) column(def *ast.ColumnDef, item []token) *Column {
	name := def.Name.Name.O
	c := &Column{
		Name: name, Source: s.source, File: s.file, Span: s.find(item, name),
		Default: s.defaultOf(item), Charset: s.charsetOf(item), Collation: s.collationOf(item),
	}
	c.takeType(def.Tp)
	for _, o := range def.Options {
		switch o.Tp {
		case ast.ColumnOptionNotNull, ast.ColumnOptionPrimaryKey:
			c.NotNull = true
		case ast.ColumnOptionComment:
			c.Comment = literal(o.Expr)
		case ast.ColumnOptionOnUpdate:
			c.OnUpdate = true
		case ast.ColumnOptionGenerated:
			c.Generated = true
		case ast.ColumnOptionAutoIncrement:
			c.AutoIncrement = true
		case ast.ColumnOptionInvisible:
			c.Invisible = true
		}
	}
	return c
}

func (c *Column) takeType(tp *types.FieldType) {
	c.Type = types.TypeToStr(tp.GetType(), tp.GetCharset())
	c.Unsigned = mysql.HasUnsignedFlag(tp.GetFlag())
	c.Elements = tp.GetElems()
	switch tp.GetType() {
	case mysql.TypeDatetime, mysql.TypeTimestamp, mysql.TypeDuration:
		c.Scale = max(tp.GetDecimal(), 0)
		return
	case mysql.TypeEnum, mysql.TypeSet, mysql.TypeYear, mysql.TypeJSON: // their length is no one's
		return
	}
	c.Length, c.Scale = max(tp.GetFlen(), 0), max(tp.GetDecimal(), 0)
}

func literal(e ast.ExprNode) string {
	v, ok := e.(ast.ValueExpr)
	if !ok {
		return ""
	}
	return v.GetString()
}

// columnKeys takes over the keys that a column's own definition makes.
func (t *Table) columnKeys(s *ddl, def *ast.ColumnDef, item []token) {
	name := def.Name.Name.O
	for _, o := range def.Options {
		switch o.Tp {
		case ast.ColumnOptionPrimaryKey:
			t.Primary = []string{name}
		case ast.ColumnOptionUniqKey:
			t.addIndex("", []string{name}, true)
		case ast.ColumnOptionReference:
			t.addForeignKey(s, "", []string{name}, o.Refer, s.from(item, "REFERENCES"))
		}
	}
}

// from returns an item's tokens from a keyword on, all of them if it is not there.
func (s *ddl) from(item []token, keyword string) []token {
	for i, t := range item {
		if s.isKeyword(t, keyword) {
			return item[i:]
		}
	}
	return item
}
