package sqlcheck

import (
	"slices"
	"strings"
)

// schemaRules are the rules that look at tables and triggers. Those of a version column are in
// rules_version.go, those of triggers in rules_trigger.go.
var schemaRules = []Rule{badVersion, bumpingTrigger, noPrimaryKey, cascade, nullableKey}

const versionDefinition = "BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT '" + VersionComment + "'"

var noPrimaryKey = Rule{
	ID:    "CAS013",
	Title: "versioned table without a primary key",
	Why: "A compare-and-swap names one row by its key and one state of it by its version. Without a primary key there is " +
		"nothing that names one row: two rows may have the same values, both are written, and each write locks every row of " +
		"the table, since no index leads to the one that is meant.",
	Mend: "Give the table a primary key whose columns say NOT NULL.",
	Bad: `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL,
  balance BIGINT NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);`,
	Good: `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  balance BIGINT NOT NULL,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);`,
	Lang: "sql",
	schema: func(c *Catalog, report Report) {
		for _, t := range c.Tables {
			if t.Version == nil || len(t.Primary) > 0 {
				continue
			}
			mend := "give it a PRIMARY KEY whose columns are NOT NULL"
			if i := slices.IndexFunc(t.Indexes, t.couldBePrimary); i >= 0 {
				mend = "make its unique key " + t.Indexes[i].Name + " the PRIMARY KEY (" + strings.Join(t.Indexes[i].Columns, ", ") + ")"
			}
			report(t.Source, t.Span, "table "+t.Name+" has a version, but no primary key that names one of its rows", mend)
		}
	},
}

func (t *Table) couldBePrimary(i Index) bool {
	return i.Unique && !slices.ContainsFunc(i.Columns, func(name string) bool {
		c := t.Column(name)
		return c == nil || !c.NotNull
	})
}

var cascade = Rule{
	ID:    "CAS014",
	Title: "foreign key that changes versioned rows",
	Why: "ON DELETE CASCADE or SET NULL and ON UPDATE CASCADE or SET NULL change or delete the rows that point to a row, in " +
		"the server, without a statement that names them. Their version is neither compared nor moved: whoever has read such a " +
		"row writes over the change without noticing, or finds the row gone. A cascade fires no trigger either.",
	Mend: "Leave the foreign key at RESTRICT, which is the default, and change or delete the versioned rows under their versions, " +
		"in the same transaction, before the row that they point to.",
	Bad: `CREATE TABLE customer (id BIGINT UNSIGNED NOT NULL PRIMARY KEY);
CREATE TABLE account (
  id          BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  customer_id BIGINT UNSIGNED,
  version     BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  FOREIGN KEY (customer_id) REFERENCES customer (id) ON DELETE SET NULL
);`,
	Good: `CREATE TABLE customer (id BIGINT UNSIGNED NOT NULL PRIMARY KEY);
CREATE TABLE account (
  id          BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  customer_id BIGINT UNSIGNED,
  version     BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  FOREIGN KEY (customer_id) REFERENCES customer (id)
);`,
	Lang: "sql",
	schema: func(c *Catalog, report Report) {
		for _, t := range c.Tables {
			if t.Version == nil {
				continue
			}
			for _, k := range t.ForeignKeys {
				if does := k.changes(); does != "" {
					report(k.Source, k.Span,
						"foreign key "+k.Name+" changes rows of "+t.Name+" behind their version: it says "+does,
						"write ON DELETE RESTRICT ON UPDATE RESTRICT, and change the rows of "+t.Name+
							" under their versions before the row of "+k.Table+" that they point to")
				}
			}
		}
	},
}

// changes returns what the key has the server do to the rows that have it; empty if nothing.
func (k ForeignKey) changes() string {
	var does []string
	for _, on := range [][2]string{{"ON DELETE", k.OnDelete}, {"ON UPDATE", k.OnUpdate}} {
		if slices.Contains([]string{"CASCADE", "SET NULL", "SET DEFAULT"}, on[1]) {
			does = append(does, on[0]+" "+on[1])
		}
	}
	return strings.Join(does, " and ")
}

var nullableKey = Rule{
	ID:    "CAS015",
	Title: "key column without NOT NULL",
	Why: "A PRIMARY KEY (id) at the end of CREATE TABLE makes id NOT NULL for the server. sqlc reads the column alone: it takes " +
		"id for nullable and generates sql.NullInt64 for it, in the model and in every parameter that is compared with it. An " +
		"invalid one compiles, matches no row, and looks like a row that is gone.",
	Mend: "Write NOT NULL, or PRIMARY KEY, at the column itself.",
	Bad: `CREATE TABLE account (
  id      BIGINT UNSIGNED AUTO_INCREMENT,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);`,
	Good: `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version',
  PRIMARY KEY (id)
);`,
	Lang: "sql",
	schema: func(c *Catalog, report Report) {
		for _, t := range c.Tables {
			for _, name := range t.Primary {
				column := t.Column(name)
				if t.Version == nil || column == nil || column.NotNull {
					continue
				}
				report(column.Source, column.Span,
					"key column "+t.Name+"."+column.Name+" does not say NOT NULL itself, so that sqlc takes it for nullable",
					"write NOT NULL at the column: the table's PRIMARY KEY is not where sqlc looks")
			}
		}
	},
}
