package sqlcheck

import "github.com/sqlc-dev/marino/ast"

// Statement is one statement of a Source.
type Statement struct {
	Source Source
	Span   Span   // in the source: from the first word to before the semicolon
	Text   string // that part of the source
	Query  *Query // what the sqlc comment before it says; nil where there is none

	Node     ast.StmtNode // nil where Unparsed is not
	Unparsed error        // the parser's, for text that it does not know
}

// Query is the head of a query in a sqlc file: `-- name: GetAccount :one` and the comments after it.
type Query struct {
	Name     string
	Command  string // without the colon: one, many, exec, execrows, execresult, execlastid, copyfrom
	Span     Span   // of the name
	Comments []string
	// CAS is what follows @cas in a comment, trimmed: "swap Account"; Marked says that there is one.
	CAS    string
	Marked bool
}

// Versions says which columns are versions besides those whose comment says so: table to column.
type Versions map[string]string
