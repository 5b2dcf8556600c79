package vet

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// scanOther looks at a call of what is not known to take SQL: a text that plainly is a write of a versioned table, or
// a locking read on one, is looked at whatever the function is called.
func (s *scan) scanOther(info *types.Info, cur inspector.Cursor, fn *types.Func) {
	if s.onlySays(fn) || s.wrappers.ignores(s, fn) {
		return
	}
	c := cur.Node().(*ast.CallExpr)
	for _, arg := range c.Args {
		if t, ok := info.TypeOf(arg).Underlying().(*types.Basic); !ok || t.Info()&types.IsString == 0 {
			continue
		}
		text, ok := s.literalOf(info, arg)
		if !ok || !s.plainSQL(text) {
			continue
		}
		for _, statement := range s.check(c, text, 0) {
			if s.wrappers.runs(s, fn, map[slot]bool{}) {
				s.checkRun(info, cur, fn, statement, handle{kinds: isOther})
			} else if statement.Locks() {
				s.checkLock(c, "this statement", handle{kinds: isOther})
			}
		}
	}
}

// sayers are what the names of functions begin with that tell people a text, or compare it.
var sayers = []string{
	"print", "log", "debug", "info", "warn", "error", "fatal", "panic", "trace", "msg", "expect", "assert", "require", "equal",
}

// onlySays reports whether a function has another use for a text than to run it: those of Go's own library but
// for database/sql, of loggers, of packages for tests and errors. sqlx.In and its like change a text; where it is
// run it is looked at.
func (s *scan) onlySays(fn *types.Func) bool {
	name := strings.ToLower(fn.Name())
	for _, sayer := range sayers {
		if strings.HasPrefix(name, sayer) {
			return true
		}
	}
	if fn.Pkg() == nil {
		return false
	}
	path := fn.Pkg().Path()
	first, _, _ := strings.Cut(path, "/")
	library := !strings.Contains(first, ".") && !s.own[first] && path != "database/sql"
	return library || path == sqlxPath || fn.Pkg().Name() == "errors" || strings.HasPrefix(path, "github.com/stretchr/testify/")
}

// plainSQL reports whether a text is SQL without a doubt, and writes or locks a versioned table.
func (s *scan) plainSQL(text literal) bool {
	if !s.mentions(text.value) {
		return false
	}
	src := sqlcheck.Source{Text: text.value}
	for _, span := range sqlcheck.Split(text.value) {
		statement := sqlcheck.Parse(src, span)
		words := wordsOf(statement.Text)
		if len(words) == 0 || !s.mentions(statement.Text) {
			continue
		}
		_, table := s.writes(statement.Text)
		write := anyOf(words[0], "INSERT", "REPLACE", "UPDATE", "DELETE", "TRUNCATE", "LOAD", "WITH") && !statement.Locks()
		switch {
		case statement.Unparsed != nil:
			if table != "" && strings.Contains(statement.Text, "=") { // no sentence for people
				return true
			}
		case statement.Locks(), write && (table != "" || !anyOf(words[0], "WITH")):
			return true
		}
	}
	return false
}
