package sqlcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/marino/ast"
)

// checkNames is CAS020.
func checkNames(_ Input, all []*Statement, report Report) {
	names := map[string]bool{}
	block := ""
	for _, s := range all {
		switch q := s.Query; {
		case q == nil && block != "" && !dropped(s):
			report(s.Source, firstWord(s), fmt.Sprintf("a second statement follows under the name %s, and sqlc leaves it out: "+
				"a query is one statement", block), "give it a name of its own, -- name: Name :command at the start of a line")
		case q != nil && names[q.Name]:
			report(s.Source, q.Span, fmt.Sprintf("a query %s is in this file already", q.Name), "give one of the two another name")
		}
		if s.Query != nil {
			block = s.Query.Name
			names[block] = true
		}
	}
}

// checkDropped is CAS021.
func checkDropped(_ Input, all []*Statement, report Report) {
	if !slices.ContainsFunc(all, func(s *Statement) bool { return s.Query != nil }) {
		return
	}
	block := false
	for _, s := range all {
		switch {
		case dropped(s):
			report(s.Source, firstWord(s), fmt.Sprintf("sqlc makes no method of %s and says nothing about it",
				firstWords(s)), "send it from Go: UpdateTx and db.BeginTx for transactions, ExecContext for the rest")
		case s.Query == nil && !block && s.Node != nil:
			report(s.Source, firstWord(s), "this statement has no name, and sqlc makes no method of it",
				"write -- name: Name :command above it, at the start of a line, or take it out")
		}
		block = block || s.Query != nil
	}
}

// dropped reports whether sqlc drops a statement whatever is written above it.
func dropped(s *Statement) bool {
	switch n := s.Node.(type) {
	case nil, *ast.SelectStmt, *ast.SetOprStmt, *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt, *ast.CallStmt,
		*ast.TruncateTableStmt, *ast.CreateTableStmt, *ast.AlterTableStmt, *ast.DropTableStmt, *ast.RenameTableStmt,
		*ast.CreateViewStmt, *ast.CreateDatabaseStmt, *ast.DropDatabaseStmt:
		return false
	case *ast.ShowStmt:
		return n.Tp != ast.ShowWarnings
	}
	return true
}

func firstWord(s *Statement) Span {
	if tokens := scanTokens(s.Text); len(tokens) > 0 {
		return s.inSource(tokens[0].span)
	}
	return s.Span
}

// firstWords returns how a statement is called: SET, START TRANSACTION, LOCK TABLES.
func firstWords(s *Statement) string {
	tokens := scanTokens(s.Text)
	name := strings.ToUpper(tokens[0].text)
	if two := []string{"START", "LOCK", "UNLOCK", "CREATE", "DROP", "ALTER", "RELEASE", "LOAD"}; slices.Contains(two, name) && len(tokens) > 1 {
		name += " " + strings.ToUpper(tokens[1].text)
	}
	return name
}

// checkSlice is CAS025.
func checkSlice(in Input, s *Statement, report Report) {
	if s.Query == nil || !in.Prepared {
		return
	}
	for _, p := range s.Params() {
		if p.Kind == ParamSlice {
			report(s.Source, p.Span, fmt.Sprintf("with emit_prepared_queries, Prepare prepares this statement with one value in place of %s; "+
				"the query itself runs unprepared", p), "put queries with sqlc.slice into a package of their own without emit_prepared_queries")
		}
	}
}

// checkRepeated is CAS026.
func checkRepeated(_ Input, s *Statement, report Report) {
	if s.Query == nil {
		return
	}
	params := s.Params()
	if len(params) < 2 || params[0].Name == "" {
		return
	}
	for _, p := range params {
		if p.Name != params[0].Name {
			return
		}
	}
	report(s.Source, params[1].Span, fmt.Sprintf("%s is there %d times and is the only parameter: sqlc then makes a struct "+
		"with the one field, not a plain argument", params[0], len(params)),
		"write the value once, or allow this if the struct is all right")
}

// checkUnparsed is CAS028.
func checkUnparsed(in Input, s *Statement, report Report) {
	if s.Unparsed == nil {
		checkView(in, s, report)
		return
	}
	tokens := scanTokens(s.Text)
	if table, i := in.Catalog.versionedIn(tokens); table != nil {
		report(s.Source, s.inSource(tokens[i].span),
			fmt.Sprintf("this statement names the versioned table %s, and no rule looked at it, since the parser does not know it: %s",
				table.Name, short(s.Unparsed)),
			"write it in a way that MySQL takes too, or look at it yourself and allow it with a reason")
	}
}

// checkView reports a write to a view that is over a versioned table in a way that is not followed.
func checkView(in Input, s *Statement, report Report) {
	var targets []*ref
	if n, ok := s.Node.(*ast.InsertStmt); ok {
		targets = newScope(in.Catalog, withQueries{}, n.Table, nil).refs
	} else if w := writeOf(in.Catalog, s); w != nil {
		targets = w.targets
	}
	for _, r := range targets {
		if r.unclear != nil {
			report(s.Source, placesOf(s).ref(r), fmt.Sprintf("this writes through a view that is over the versioned table %s and more than "+
				"that: no rule looked at what it does to versions", r.unclear.Name),
				"write the table itself, or look at it yourself and allow it with a reason")
		}
	}
}

// short returns what a parser says: where it stops, and not all of the statement from there on. The line that
// it counts is one of the statement, not of the file.
func short(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if _, near, ok := strings.Cut(text, ` near "`); ok {
		if words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(near), `"`)); len(words) > 0 {
			return "it stops at " + strings.Join(words[:min(3, len(words))], " ")
		}
		return "it stops at the end"
	}
	return text
}
