package casgen

import "github.com/sqlcas/sqlcas/internal/sqlcheck"

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
