package casgen

import (
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Descriptor is one sqlcas.Table to be made of a database table. Its Name names everything about it: NameTable,
// GetName, GetNameForUpdate, GetNameForUpdateNoWait, GetNameForUpdateSkipLocked, SwapName, TouchName, DeleteName,
// InsertName, UpsertName, LockName.
type Descriptor struct {
	Name   string
	Table  *sqlcheck.Table
	Narrow bool // it reads only some columns
	Upsert bool // UpsertName is asked for
	// Computed says that a trigger changes columns of the row when it is written.
	Computed bool
	Zero     bool               // rows start at version 0
	Key      []*sqlcheck.Column // in the key's order
	Read     []*sqlcheck.Column // what Get selects, in the table's order: key, version and all else
	Write    []*sqlcheck.Column // what Swap sets besides the version, in the table's order
}

// assignsKey reports whether the server makes a row's key when it is inserted.
func (d Descriptor) assignsKey() bool { return len(d.Key) == 1 && d.Key[0].AutoIncrement }

// inserts reports whether Insert names a column that is not the version. It leaves out what the server writes, but
// not a part of the key, by which the caller finds the row again, and not a time without a DEFAULT, for which the
// server would refuse the row. Upsert writes rows whole: it would drop a value that Insert has no place for.
func (d Descriptor) inserts(c *sqlcheck.Column) bool {
	switch {
	case c.Generated, d.assignsKey() && c == d.Key[0]:
		return false
	case c.OnUpdate:
		return c.NotNull && c.Default == ""
	case stamped(c):
		return d.Upsert || d.Table.IsKey(c.Name)
	}
	return true
}

// stamped reports whether the server writes when a row came, unless told otherwise.
func stamped(c *sqlcheck.Column) bool {
	word := strings.ToUpper(strings.Trim(c.Default, "( "))
	return slices.ContainsFunc([]string{"CURRENT_TIMESTAMP", "NOW", "LOCALTIME"}, func(now string) bool {
		return strings.HasPrefix(word, now)
	})
}
