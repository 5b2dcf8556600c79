package witness

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// SeveralStatementsError refuses a text of more than one statement, which a connection with
// multiStatements would run: what comes after the first one cannot be watched.
type SeveralStatementsError struct{ Query string }

// Error names the statements and the mend.
func (e *SeveralStatementsError) Error() string {
	return fmt.Sprintf("%q is more than one statement and was not sent: send them one by one, "+
		"so that each can be watched", shorten(e.Query))
}

// RowsOpenError is the error of a statement that the connection could not take because the rows of
// another were still being read.
type RowsOpenError struct {
	Query string
	Cause error // what the driver said; it is not unwrapped, because it says that the connection is broken
}

// Error names the statement and the mend.
func (e *RowsOpenError) Error() string {
	return fmt.Sprintf("%q came while the rows of an earlier query were still open, which a MySQL connection "+
		"cannot do: read them to the end or close them first (%v)", shorten(e.Query), e.Cause)
}

// EndedByStatementError refuses a statement that would have ended the transaction behind the back
// of the runner that owns it.
type EndedByStatementError struct{ Query string }

// Error names the statement and how transactions end instead.
func (e *EndedByStatementError) Error() string {
	return fmt.Sprintf("%q would end the transaction, or may, and was not sent: it is committed when "+
		"the closure returns nil, and rolled back otherwise", shorten(e.Query))
}

// AfterAbortError refuses a statement that comes after one which the server has aborted.
type AfterAbortError struct {
	Query string
	Cause error // what the aborted statement met
}

// Error names the statement and what had aborted the transaction.
func (e *AfterAbortError) Error() string {
	return fmt.Sprintf("%q was not sent: an earlier statement had aborted the transaction: %v",
		shorten(e.Query), e.Cause)
}

// Unwrap returns the cause, so that a closure that returns this error is judged by it.
func (e *AfterAbortError) Unwrap() error { return e.Cause }

// IsMisuse reports whether an abort's cause is something that the closure should not have done, and
// not the server's doing.
func IsMisuse(err error) bool {
	var ended *EndedByStatementError
	var several *SeveralStatementsError
	var open *RowsOpenError
	return errors.Is(err, ErrEndedByClosure) || errors.As(err, &ended) || errors.As(err, &several) || errors.As(err, &open)
}

// endsTransaction reports whether the statement commits or rolls back, be it by its name or, as
// MySQL's and MariaDB's DDL does, implicitly.
func endsTransaction(query string) bool {
	if later, ok := behindVersionComment(query); ok && endsTransaction(later) {
		return true
	}
	first, rest := firstWord(query)
	switch first {
	case "COMMIT", "BEGIN":
		return true
	case "START": // START TRANSACTION; START REPLICA and its like commit as well
		return true
	case "ROLLBACK":
		next, rest := keyword(rest)
		if next == "WORK" {
			next, _ = keyword(rest)
		}
		return next != "TO"
	case "CREATE", "DROP":
		next, rest := keyword(rest)
		if next == "OR" { // CREATE OR REPLACE
			_, rest = keyword(rest)
			next, _ = keyword(rest)
		}
		return next != "TEMPORARY"
	case "ALTER", "TRUNCATE", "RENAME", "LOCK", "UNLOCK", "GRANT", "REVOKE",
		"CHECK", "OPTIMIZE", "REPAIR", "FLUSH", "RESET", "CACHE", "INSTALL", "UNINSTALL",
		"STOP", "CHANGE", "IMPORT", "XA", "BACKUP", "CLONE",
		"PREPARE", "EXECUTE": // of SQL, whose text is not seen; Go's prepared statements are others
		return true
	case "ANALYZE": // of tables; MariaDB's ANALYZE UPDATE is an UPDATE
		next, rest := keyword(rest)
		if next == "LOCAL" || next == "NO_WRITE_TO_BINLOG" {
			next, _ = keyword(rest)
		}
		return strings.HasPrefix(next, "TABLE")
	case "LOAD":
		next, _ := keyword(rest)
		return next == "INDEX"
	case "SET": // SET autocommit = 1 commits what is open
		if prefix := statementFor.FindString(rest); prefix != "" {
			return endsTransaction(rest[len(prefix):])
		}
		next, _ := firstWord(rest)
		return next == "DEFAULT" || next == "PASSWORD" || setCommits.MatchString(notSet.ReplaceAllString(rest, " "))
	}
	return false
}

// setCommits finds what makes a SET commit, and notSet what says nothing of that: texts, and
// variables of the user's own.
var (
	setCommits = regexp.MustCompile(`(?is)\bautocommit\s*:?=|(?:^|,)[\s\v]*PASSWORD\s*(?:=|:=|FOR|TO)`)
	notSet     = regexp.MustCompile(`(?s)'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|(?:^|[^@])@[\w.$]+`)
)

// writes reports whether a statement may change rows.
func writes(query string) bool {
	switch word, rest := keyword(query); word {
	case "SELECT", "SHOW", "SET", "SAVEPOINT", "RELEASE", "DO", "EXPLAIN", "DESCRIBE", "DESC", "HELP",
		"USE", "TABLE", "VALUES", "ROLLBACK", "CREATE", "DROP":
		return false
	case "WITH":
		return verb.MatchString(rest)
	}
	return true
}

// verb finds what makes a WITH more than a SELECT. It also finds FOR UPDATE, to be safe.
var verb = regexp.MustCompile(`(?i)\b(UPDATE|DELETE|INSERT|REPLACE)\b`)

// obscures reports whether a statement makes unsure what others of the transaction have written:
// it takes a part back to a savepoint, or changes what a table's name means.
func obscures(query string) bool {
	switch Keyword(query) {
	case "ROLLBACK", "USE", "CREATE", "DROP":
		return true
	}
	return false
}
