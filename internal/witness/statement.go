package witness

import (
	"fmt"
	"strings"
)

// EndedByStatementError refuses a statement that would have ended the transaction behind the back
// of the runner that owns it.
type EndedByStatementError struct{ Query string }

// Error names the statement and how transactions end instead.
func (e *EndedByStatementError) Error() string {
	return fmt.Sprintf("%q would end the transaction and was not sent: the transaction commits when "+
		"the closure returns nil and is rolled back when it returns an error", shorten(e.Query))
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

// endsTransaction reports whether the statement commits or rolls back, be it by its name or, as
// MySQL's and MariaDB's DDL does, implicitly.
func endsTransaction(query string) bool {
	first, rest := keyword(query)
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
		"CHECK", "OPTIMIZE", "REPAIR", "FLUSH", "RESET", "CACHE", "INSTALL", "UNINSTALL":
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
		return strings.Contains(strings.ToLower(rest), "autocommit")
	}
	return false
}

// keyword returns the first word of query in upper case, and what follows it, skipping blanks,
// opening brackets and comments. The content of a MySQL version comment (/*! ... */) is skipped too.
func keyword(query string) (word, rest string) {
	for {
		query = strings.TrimLeft(query, " \t\r\n(;")
		var end string
		switch {
		case strings.HasPrefix(query, "/*"):
			end = "*/"
		case strings.HasPrefix(query, "#"), strings.HasPrefix(query, "--"):
			end = "\n"
		default:
			i := 0
			for i < len(query) && (query[i]|0x20 >= 'a' && query[i]|0x20 <= 'z' || query[i] == '_') {
				i++
			}
			return strings.ToUpper(query[:i]), query[i:]
		}
		i := strings.Index(query, end)
		if i < 0 {
			return "", ""
		}
		query = query[i+len(end):]
	}
}

// shorten cuts a statement for use in an error.
func shorten(query string) string {
	query = strings.Join(strings.Fields(query), " ")
	if len(query) > 80 {
		return query[:77] + "..."
	}
	return query
}

// Keyword returns the first word of a statement in upper case, past blanks, brackets and comments.
func Keyword(query string) string {
	word, _ := keyword(query)
	return word
}
