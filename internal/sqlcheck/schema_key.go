package sqlcheck

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// primaryName is what DROP INDEX and DROP CONSTRAINT call the primary key.
const primaryName = "PRIMARY"

// add takes a constraint or index over. FULLTEXT and SPATIAL ones are left out: no lookup by a value uses
// them.
func (t *Table) add(s *ddl, n *ast.Constraint, item []token) {
	columns := partColumns(n.Keys)
	switch n.Tp {
	case ast.ConstraintPrimaryKey:
		t.Primary = columns
	case ast.ConstraintKey, ast.ConstraintIndex:
		t.addIndex(n.Name, columns, false)
	case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
		t.addIndex(n.Name, columns, true)
	case ast.ConstraintForeignKey:
		t.addForeignKey(s, n.Name, columns, n.Refer, item)
	}
}

// addIndex names an index that has no name as the server does: by its first column.
func (t *Table) addIndex(name string, columns []string, unique bool) {
	if name == "" && len(columns) > 0 {
		name = columns[0]
		for n := 2; t.hasIndex(name); n++ {
			name = columns[0] + "_" + strconv.Itoa(n)
		}
	}
	if name != "" && t.hasIndex(name) { // IF NOT EXISTS
		return
	}
	t.Indexes = append(t.Indexes, Index{Name: name, Columns: columns, Unique: unique})
}

func (t *Table) hasIndex(name string) bool {
	return slices.ContainsFunc(t.Indexes, func(i Index) bool { return strings.EqualFold(i.Name, name) })
}

func (t *Table) addForeignKey(s *ddl, name string, columns []string, refer *ast.ReferenceDef, item []token) {
	key := ForeignKey{Name: name, Columns: columns, Source: s.source, Span: s.find(nil, "")}
	if len(item) > 0 {
		key.Span = s.span(item[0], item[len(item)-1])
	}
	if key.Name == "" {
		key.Name = t.foreignKeyName()
	}
	if refer != nil && refer.Table != nil {
		key.Table = refer.Table.Name.O
		key.References = partColumns(refer.IndexPartSpecifications)
	}
	if refer != nil && refer.OnDelete != nil {
		key.OnDelete = strings.ToUpper(refer.OnDelete.ReferOpt.String())
	}
	if refer != nil && refer.OnUpdate != nil {
		key.OnUpdate = strings.ToUpper(refer.OnUpdate.ReferOpt.String())
	}
	t.ForeignKeys = append(t.ForeignKeys, key)
}

// foreignKeyName is the name that the server gives: the number goes on from the highest that it gave.
func (t *Table) foreignKeyName() string {
	prefix, last := strings.ToLower(t.Name)+"_ibfk_", 0
	for _, k := range t.ForeignKeys {
		if number, ok := strings.CutPrefix(strings.ToLower(k.Name), prefix); ok {
			n, _ := strconv.Atoi(number)
			last = max(last, n)
		}
	}
	return t.Name + "_ibfk_" + strconv.Itoa(last+1)
}

// impliedIndexes adds the indexes that InnoDB makes for foreign keys that no index begins with.
func (t *Table) impliedIndexes() {
	for _, key := range t.ForeignKeys {
		covers := func(columns []string) bool {
			return len(columns) >= len(key.Columns) && slices.EqualFunc(columns[:len(key.Columns)], key.Columns, strings.EqualFold)
		}
		if !covers(t.Primary) && !slices.ContainsFunc(t.Indexes, func(i Index) bool { return covers(i.Columns) }) {
			t.addIndex(key.Name, key.Columns, false)
		}
	}
}

// dropIndex takes a table that is not there: the schema may have it from a statement that is not known.
func (t *Table) dropIndex(name string) {
	switch {
	case t == nil:
	case strings.EqualFold(name, primaryName):
		t.Primary = nil
	default:
		t.Indexes = slices.DeleteFunc(t.Indexes, func(i Index) bool { return strings.EqualFold(i.Name, name) })
	}
}

func (t *Table) dropForeignKey(name string) {
	t.ForeignKeys = slices.DeleteFunc(t.ForeignKeys, func(k ForeignKey) bool { return strings.EqualFold(k.Name, name) })
}

func partColumns(parts []*ast.IndexPartSpecification) []string {
	var columns []string
	for _, p := range parts {
		name := ""
		if p.Column != nil {
			name = p.Column.Name.O
		}
		columns = append(columns, name)
	}
	return columns
}

// options takes over what a table says of itself. A charset without a collation takes the charset's default.
func (t *Table) options(s *ddl, options []*ast.TableOption, item []token) {
	for _, o := range options {
		switch o.Tp {
		case ast.TableOptionComment:
			t.Comment = o.StrValue
		case ast.TableOptionCharset:
			t.Charset, t.Collation = s.charsetOf(item), s.collationOf(item)
			if o.UintValue == ast.TableOptionCharsetWithConvertTo {
				for _, c := range t.Columns {
					c.Charset, c.Collation = "", ""
				}
			}
		case ast.TableOptionCollate:
			t.Collation = s.collationOf(item)
		}
	}
}

// like copies what CREATE TABLE LIKE copies: all but foreign keys and triggers.
func (t *Table) like(from *Table) {
	t.Comment, t.Charset, t.Collation = from.Comment, from.Charset, from.Collation
	t.Primary = slices.Clone(from.Primary)
	for _, c := range from.Columns {
		copied := *c
		t.Columns = append(t.Columns, &copied)
	}
	for _, i := range from.Indexes {
		i.Columns = slices.Clone(i.Columns)
		t.Indexes = append(t.Indexes, i)
	}
}
