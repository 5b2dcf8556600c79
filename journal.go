package sqlcas

// Journal says how rows are entered in a table that is only ever added to, such as the ledger of an account:
// what optimistic.JournalStore writes beside the row that it changes.
//
// It is a value without state, and safe for concurrent use if Values is.
type Journal[J any] struct {
	Table   string   // its name, with its schema's and a dot before it if that is not the connection's
	Columns []string // that Values gives; all others take their defaults
	// Values returns an entry's values, in the order of Columns. It is called once for each entry and try, and must not
	// change anything. nil is NULL.
	Values func(entry J) []any
}
