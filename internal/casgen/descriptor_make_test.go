package casgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

func describe(t *testing.T, schema, options string) ([]casgen.Descriptor, casgen.Naming) {
	t.Helper()
	o, err := casgen.ReadOptions([]byte(options))
	require.NoError(t, err)
	c := sqlcheck.ReadSchema([]sqlcheck.Source{{Name: "schema.sql", Text: schema}}, o.Versions())
	descriptors, found := casgen.Descriptors(c, o)
	require.Empty(t, found)
	return descriptors, casgen.NewNaming(o)
}

func columnNames(columns []*sqlcheck.Column) []string {
	names := []string{}
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// Ensures that a descriptor reads all columns and writes those that are neither key nor version nor computed, and
// that a narrow one has its columns, the key and the version, whatever the order of its list.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	made, _ := describe(t, `
CREATE TABLE plain (id INT NOT NULL PRIMARY KEY);
CREATE TABLE seats (
  seat    INT NOT NULL,
  day     INT NOT NULL,
  holder  VARCHAR(20),
  label   VARCHAR(40) AS (CONCAT(seat, holder)),
  touched TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  rev     INT NOT NULL DEFAULT 0,
  note    TEXT,
  PRIMARY KEY (day, seat)
);
CREATE TABLE accounts (id INT NOT NULL PRIMARY KEY, version INT NOT NULL DEFAULT 1 COMMENT 'sqlcas:version');`,
		`{"go": {"package": "db"}, "tables": {"SEATS": {"version": "REV", "zero": true, "name": "Place",
		  "narrow": {"SeatNote": ["NOTE"], "SeatHolder": ["touched", "holder", "day"]}}, "accounts": {"upsert": true}}}`)
	type want struct {
		name                 string
		narrow, upsert, zero bool
		key, read, write     []string
	}
	var got []want
	for _, d := range made {
		got = append(got, want{d.Name, d.Narrow, d.Upsert, d.Zero, columnNames(d.Key), columnNames(d.Read), columnNames(d.Write)})
	}
	require.Equal(t, []want{
		{
			name: "Place", zero: true, key: []string{"day", "seat"},
			read:  []string{"seat", "day", "holder", "label", "touched", "rev", "note"},
			write: []string{"holder", "note"},
		},
		{
			name: "SeatHolder", zero: true, narrow: true, key: []string{"day", "seat"},
			read:  []string{"seat", "day", "holder", "touched", "rev"},
			write: []string{"holder"},
		},
		{
			name: "SeatNote", zero: true, narrow: true, key: []string{"day", "seat"},
			read:  []string{"seat", "day", "rev", "note"},
			write: []string{"note"},
		},
		{name: "Account", upsert: true, key: []string{"id"}, read: []string{"id", "version"}, write: []string{}},
	}, got)
}

// Ensures that columns are read in the order in which sqlc has them, whatever the names of the files: as they were
// defined, not as they are in the table.
func TestDescriptors_order(t *testing.T) {
	t.Parallel()
	sources := []sqlcheck.Source{
		{Name: "tables.sql", Text: "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, version INT NOT NULL COMMENT 'sqlcas:version', b INT);"},
		{Name: "changes.sql", Text: "ALTER TABLE t ADD COLUMN c INT AFTER id, MODIFY COLUMN a BIGINT;"},
	}
	made, found := casgen.Descriptors(sqlcheck.ReadSchema(sources, nil), casgen.Options{Go: &casgen.GoOptions{}})
	require.Empty(t, found)
	require.Equal(t, []string{"id", "version", "b", "c", "a"}, columnNames(made[0].Read))
}

// Ensures that a column's kind is known where code depends on it, and that an override's type of a package that
// only has a standard one's name is not taken for it.
func TestNaming_Type_kinds(t *testing.T) {
	t.Parallel()
	made, n := describe(t, `CREATE TABLE t (
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY, small SMALLINT NOT NULL, name TEXT NOT NULL, raw BLOB NOT NULL, at DATETIME NOT NULL,
  flag BOOL NOT NULL, ratio DOUBLE NOT NULL, state ENUM('a') NOT NULL, maybe INT, maybe_state ENUM('a'), doc JSON NOT NULL, bits BIT(8) NOT NULL,
  pointed INT, listed INT, own INT, fake INT, moment DATE, number INT, version INT NOT NULL COMMENT 'sqlcas:version');`,
		`{"go": {"package": "db", "overrides": [
		  {"column": "t.pointed", "go_type": {"type": "int", "pointer": true}}, {"column": "t.listed", "go_type": {"type": "string", "slice": true}},
		  {"column": "t.own", "go_type": {"type": "Own"}}, {"column": "t.fake", "go_type": "example.com/time.Time"},
		  {"column": "t.moment", "go_type": "time.Time"}, {"column": "t.number", "go_type": "database/sql.NullInt16"}]}}`)
	d := made[0]
	std := func(path string) []casgen.Import { return []casgen.Import{{Path: path}} }
	want := map[string]casgen.GoType{
		"id":          {Text: "uint64", Kind: casgen.KindInteger, Bits: 64},
		"small":       {Text: "int16", Kind: casgen.KindInteger, Bits: 16, Signed: true},
		"name":        {Text: "string", Kind: casgen.KindString},
		"raw":         {Text: "[]byte", Kind: casgen.KindBytes},
		"at":          {Text: "time.Time", Kind: casgen.KindTime, Imports: std("time")},
		"flag":        {Text: "bool", Kind: casgen.KindBool},
		"ratio":       {Text: "float64", Kind: casgen.KindFloat},
		"state":       {Text: "TState", Kind: casgen.KindEnum},
		"maybe":       {Text: "sql.NullInt32", Kind: casgen.KindNullWrapper, Imports: std("database/sql")},
		"maybe_state": {Text: "NullTMaybeState", Kind: casgen.KindNullWrapper},
		"doc":         {Text: "json.RawMessage", Kind: casgen.KindRawJSON, Imports: std("encoding/json")},
		"bits":        {Text: "interface{}", Kind: casgen.KindAny},
		"pointed":     {Text: "*int", Kind: casgen.KindPointer},
		"listed":      {Text: "[]string", Kind: casgen.KindSlice},
		"own":         {Text: "Own", Kind: casgen.KindOther},
		"fake":        {Text: "time.Time", Kind: casgen.KindOther, Imports: std("example.com/time")},
		"moment":      {Text: "time.Time", Kind: casgen.KindTime, Imports: std("time")},
		"number":      {Text: "sql.NullInt16", Kind: casgen.KindNullWrapper, Imports: std("database/sql")},
		"version":     {Text: "int32", Kind: casgen.KindInteger, Bits: 32, Signed: true},
	}
	require.Len(t, d.Read, len(want))
	for _, c := range d.Read {
		got, err := n.Type(d.Table, c)
		require.NoError(t, err)
		require.Equal(t, want[c.Name], got, c.Name)
	}
}
