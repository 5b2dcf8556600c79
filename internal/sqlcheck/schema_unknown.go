package sqlcheck

import (
	"regexp"
	"slices"
	"strings"
)

// notChecked is the rule of statements that no rule can look at.
const notChecked = "CAS028"

// unknown reports a statement that the parser does not know, unless its words say that it has nothing to do
// with a table.
func (c *Catalog) unknown(s *ddl, err error) {
	if s.isHarmless() {
		return
	}
	about := "this statement"
	object, name := s.object()
	if name != "" {
		about = s.verb() + " " + object + " " + name
	}
	span := s.find(s.tokens, name)
	c.Unparsed = append(c.Unparsed, s.source.At(notChecked, span,
		"the parser does not know "+about+", so that nothing is known about what it does: "+oneLine(err.Error()),
		"write it as the MySQL dialect has it, or allow it with a reason: what it does to a table is not checked"))
}

// unsure reports a table whose columns the statement does not say.
func (c *Catalog) unsure(s *ddl, t *Table, why string) {
	c.Unparsed = append(c.Unparsed, s.source.At(notChecked, t.Span,
		"CREATE TABLE "+t.Name+" "+why+", so that nothing is known about the table",
		"write its columns out, or allow it with a reason: what concerns the table is not checked"))
}

// Words that say what a statement is about. The first of them that it has is what it creates or changes.
var (
	tableObjects = []string{"TABLE", "TABLES", "TRIGGER", "INDEX"}
	otherObjects = []string{
		"VIEW", "PROCEDURE", "FUNCTION", "EVENT", "DATABASE", "SCHEMA", "USER", "ROLE", "SEQUENCE", "SERVER",
		"TABLESPACE", "LOGFILE", "PACKAGE", "RESOURCE", "INSTANCE", "LIBRARY",
	}
)

// definitions are the verbs that may change a table's definition; harmless are those that do not.
var (
	definitions = []string{"CREATE", "ALTER", "DROP", "RENAME"}
	harmless    = []string{
		"", "SET", "INSERT", "REPLACE", "UPDATE", "DELETE", "SELECT", "WITH", "VALUES", "TRUNCATE", "LOAD", "IMPORT",
		"CALL", "DO", "HANDLER", "GRANT", "REVOKE", "USE", "LOCK", "UNLOCK", "START", "BEGIN", "COMMIT", "ROLLBACK",
		"SAVEPOINT", "RELEASE", "XA", "ANALYZE", "OPTIMIZE", "CHECK", "REPAIR", "FLUSH", "SHOW", "EXPLAIN", "DESCRIBE",
		"DESC", "PREPARE", "EXECUTE", "DEALLOCATE", "INSTALL", "UNINSTALL", "RESET", "PURGE", "CHANGE", "STOP", "KILL",
		"SIGNAL", "SOURCE", "BINLOG", "CACHE", "CLONE", "HELP", "SHUTDOWN", "RESTART",
	}
)

// isHarmless reports whether the statement's words say that it leaves the definition of every table alone.
func (s *ddl) isHarmless() bool {
	if !slices.Contains(definitions, s.verb()) {
		return slices.Contains(harmless, s.verb())
	}
	i := s.objectAt()
	return i >= 0 && s.isKeyword(s.tokens[i], otherObjects...)
}

// object returns what the statement creates or changes and its name. Both are empty where it is no table,
// trigger or index.
func (s *ddl) object() (object, name string) {
	i := s.objectAt()
	if i < 0 || !s.isKeyword(s.tokens[i], tableObjects...) {
		return "", ""
	}
	return strings.ToUpper(s.tokens[i].text), s.nameAfter(i + 1)
}

// objectAt returns the place of the word that says what is created or changed; -1 if there is none.
func (s *ddl) objectAt() int {
	if !slices.Contains(definitions, s.verb()) {
		return -1
	}
	for i, t := range s.tokens {
		if t.is("(") {
			return -1
		}
		if s.isKeyword(t, tableObjects...) || s.isKeyword(t, otherObjects...) {
			return i
		}
	}
	return -1
}

// nameAfter returns the bare name that begins at a token.
func (s *ddl) nameAfter(i int) string {
	_, name := s.qualifiedAfter(i)
	return name
}

// qualifiedAfter returns the name that begins at a token and the database before it, empty if there is none.
func (s *ddl) qualifiedAfter(i int) (schema, name string) {
	for i < len(s.tokens) && s.isKeyword(s.tokens[i], "IF", "NOT", "EXISTS") {
		i++
	}
	if i < len(s.tokens) && s.tokens[i].kind == tokenWord {
		name = s.tokens[i].text
	}
	if i+2 < len(s.tokens) && s.tokens[i+1].is(".") {
		schema, name = name, s.tokens[i+2].text
	}
	return schema, name
}

// position is where the parser's complaint says that the fault is: counted from the statement's beginning,
// which would mislead next to a line of the file.
var position = regexp.MustCompile(`^line \d+ column \d+ `)

// oneLine shortens the parser's complaint, which quotes the rest of the text.
func oneLine(complaint string) string {
	const most = 120
	complaint = position.ReplaceAllString(strings.Join(strings.Fields(complaint), " "), "")
	if runes := []rune(complaint); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return complaint
}
