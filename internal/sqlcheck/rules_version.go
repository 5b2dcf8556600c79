package sqlcheck

import (
	"regexp"
	"slices"
	"strings"
)

var badVersion = Rule{
	ID:    "CAS006",
	Title: "a column that cannot be a version",
	Why: "A version must be one whole number that each write moves by one and that two readers cannot mistake. NULL equals " +
		"nothing, so that a row with a NULL version is never written again. Two writes in one tick of a time have the same time, " +
		"and clocks go back. Strings match in another case or with blanks at their end. TINYINT(1) is a bool to sqlc. A version " +
		"that the server makes itself, or that is a part of the key, cannot be compared with the one that was read.",
	Mend: "Declare the version BIGINT UNSIGNED NOT NULL DEFAULT 1, as a column of its own outside of the primary key, one a table.",
	Bad: `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  version TIMESTAMP NULL COMMENT 'sqlcas:version'
);`,
	Good: `CREATE TABLE account (
  id      BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'
);`,
	Lang: "sql",
	schema: func(c *Catalog, report Report) {
		for _, t := range c.Tables {
			reportMisspelt(t, report)
			if t.Version == nil {
				continue
			}
			for _, f := range versionFaults(t, t.Version) {
				report(t.Version.Source, t.Version.Span, "version "+t.Name+"."+t.Version.Name+" "+f.is, f.mend)
			}
			for _, other := range t.Columns {
				if other != t.Version && other.marked() {
					report(other.Source, other.Span,
						"column "+t.Name+"."+other.Name+" is a second version: "+t.Version.Name+" is the one that counts",
						"take '"+VersionComment+"' out of the comment of one of the two")
				}
			}
		}
	},
}

// misspelt fits comments that want to be VersionComment.
var misspelt = regexp.MustCompile(`(?i)\bsqlcas\s*[:;.,=/_-]\s*version\b`)

// reportMisspelt finds columns that somebody takes for versions, and nobody else does.
func reportMisspelt(t *Table, report Report) {
	for _, c := range t.Columns {
		if word := misspelt.FindString(c.Comment); word != "" && !c.marked() && c != t.Version {
			report(c.Source, c.Span, "the comment of "+t.Name+"."+c.Name+" says '"+word+"', which does not make it the version",
				"write '"+VersionComment+"', in lower case and without blanks, or leave the word out")
		}
	}
}

// versionFault is one thing that keeps a column from being a version.
type versionFault struct{ is, mend string }

// versionFaults stops at a wrong type: what else is wrong goes away with it.
func versionFaults(t *Table, c *Column) []versionFault {
	if why := notInteger(c); why != "" {
		return []versionFault{{why, "declare it " + versionDefinition}}
	}
	if c.Generated {
		return []versionFault{{"is generated, so that no UPDATE can move it", "declare it " + versionDefinition}}
	}
	var faults []versionFault
	if !c.NotNull {
		faults = append(faults, versionFault{
			"may be NULL: version = NULL matches no row, so that such a row is never written again",
			"give old rows a version, then declare it " + versionDefinition,
		})
	}
	if c.AutoIncrement {
		faults = append(faults, versionFault{
			"is AUTO_INCREMENT: it numbers the rows of the table, not the states of one row",
			"take AUTO_INCREMENT away and write DEFAULT 1",
		})
	}
	if t.IsKey(c.Name) {
		faults = append(faults, versionFault{
			"is a part of the primary key: each write would make another row of it",
			"take it out of the PRIMARY KEY",
		})
	}
	if c.Default != "" && !isWholeNumber(c.Default) && (c.NotNull || !strings.EqualFold(c.Default, "NULL")) {
		faults = append(faults, versionFault{
			"has DEFAULT " + oneLine(c.Default) + ", which is no whole number that a new row can start with",
			"write DEFAULT 1",
		})
	}
	return faults
}

// notInteger says why a column's type is wrong; empty for an integer.
func notInteger(c *Column) string {
	kind := strings.ToUpper(c.Type)
	switch {
	case c.Type == "tinyint" && c.Length == 1:
		return "is TINYINT(1), which sqlc makes a bool: it could tell two states apart and no third"
	case slices.Contains([]string{"tinyint", "smallint", "mediumint", "int", "bigint"}, c.Type):
		return ""
	case slices.Contains([]string{"date", "time", "datetime", "timestamp", "year"}, c.Type):
		return "is " + kind + ": two writes within one tick of it have the same version, and clocks go back"
	case slices.Contains([]string{"char", "varchar", "tinytext", "text", "mediumtext", "longtext"}, c.Type):
		return "is " + kind + ": most collations take 'a' for 'A' and 'a ', and sqlcas counts versions, which needs an integer"
	case slices.Contains([]string{"decimal", "float", "double"}, c.Type):
		return "is " + kind + ": it is no whole number, and sqlc makes a string or a float64 of it"
	}
	return "is " + kind + ", which does not count: a version must be an integer"
}

// isWholeNumber takes the quotes and brackets that SHOW CREATE TABLE and programs write around a number.
func isWholeNumber(value string) bool {
	digits := strings.TrimPrefix(strings.Trim(value, "'\"() "), "+")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
