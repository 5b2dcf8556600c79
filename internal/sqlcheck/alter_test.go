package sqlcheck

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const alterBase = `CREATE TABLE p (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (
  id INT NOT NULL, b INT DEFAULT 7, c VARCHAR(9) COLLATE latin1_bin, version INT NOT NULL COMMENT 'sqlcas:version',
  PRIMARY KEY (id, b), UNIQUE KEY ub (b), KEY bc (b, c), CONSTRAINT fk FOREIGN KEY (b) REFERENCES p (id)
);
`

// table is table a after statements, in one line: its columns, each with what changes, and its keys.
func alteredTable(t *testing.T, statements string) string {
	t.Helper()
	c := ReadSchema([]Source{{"a.sql", alterBase + statements}}, nil)
	require.Empty(t, c.Unparsed)
	if len(c.Tables) < 2 {
		return "none"
	}
	a := c.Tables[1]
	words := []string{a.Name + ":"}
	for _, col := range a.Columns {
		word := col.Name
		if col.Default != "" {
			word += "=" + col.Default
		}
		if col.Invisible {
			word += "?"
		}
		if col == a.Version {
			word += "*"
		}
		words = append(words, word)
	}
	words = append(words, "PK("+strings.Join(a.Primary, " ")+")")
	for _, i := range a.Indexes {
		words = append(words, i.Name+"("+strings.Join(i.Columns, " ")+")")
	}
	for _, k := range a.ForeignKeys {
		words = append(words, k.Name+"->"+k.Table)
	}
	return strings.Join(words, " ")
}

// Ensures that each kind of change leaves the table that the server would have after it.
func TestReadSchema_alter(t *testing.T) {
	t.Parallel()
	for statements, want := range map[string]string{
		"": "a: id b=7 c version* PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a ADD x INT DEFAULT 1 AFTER id":                                                                             "a: id x=1 b=7 c version* PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a ADD COLUMN (x INT, y INT DEFAULT 'q'), ADD w INT FIRST":                                                   "a: w id b=7 c version* x y='q' PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a ADD COLUMN IF NOT EXISTS b INT, ADD x INT UNIQUE":                                                         "a: id b=7 c version* x PK(id b) ub(b) bc(b c) x(x) fk->p",
		"ALTER TABLE a DROP FOREIGN KEY fk, DROP COLUMN b":                                                                       "a: id c version* PK(id) bc(c)",
		"ALTER TABLE a DROP version, ADD v2 INT COMMENT 'sqlcas:version'":                                                        "a: id b=7 c v2* PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a MODIFY version BIGINT NOT NULL":                                                                           "a: id b=7 c version PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a MODIFY b BIGINT DEFAULT 8 AFTER c":                                                                        "a: id c b=8 version* PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a CHANGE b x BIGINT FIRST":                                                                                  "a: x id c version* PK(id x) ub(x) bc(x c) fk->p",
		"ALTER TABLE a RENAME COLUMN b TO x, RENAME COLUMN version TO v":                                                         "a: id x=7 c v* PK(id x) ub(x) bc(x c) fk->p",
		"ALTER TABLE a ALTER b SET DEFAULT 9, ALTER COLUMN c SET DEFAULT (1)":                                                    "a: id b=9 c=(1) version* PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a ALTER b DROP DEFAULT, ALTER COLUMN version SET INVISIBLE":                                                 "a: id b c version?* PK(id b) ub(b) bc(b c) fk->p",
		"ALTER TABLE a DROP PRIMARY KEY, ADD PRIMARY KEY (id)":                                                                   "a: id b=7 c version* PK(id) ub(b) bc(b c) fk->p",
		"ALTER TABLE a DROP INDEX ub, DROP KEY bc":                                                                               "a: id b=7 c version* PK(id b) fk(b) fk->p",
		"ALTER TABLE a ADD KEY (c), ADD UNIQUE (c), ADD FULLTEXT ft (c)":                                                         "a: id b=7 c version* PK(id b) ub(b) bc(b c) c(c) c_2(c) fk->p",
		"ALTER TABLE a DROP FOREIGN KEY fk, RENAME INDEX ub TO bu":                                                               "a: id b=7 c version* PK(id b) bu(b) bc(b c)",
		"ALTER TABLE a DROP CONSTRAINT fk, DROP CONSTRAINT ub":                                                                   "a: id b=7 c version* PK(id b) bc(b c)",
		"ALTER TABLE a ADD FOREIGN KEY (c) REFERENCES p (id)":                                                                    "a: id b=7 c version* PK(id b) ub(b) bc(b c) a_ibfk_1(c) fk->p a_ibfk_1->p",
		"ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES p (id), ADD FOREIGN KEY (c) REFERENCES p (id), DROP FOREIGN KEY a_ibfk_2": "a: id b=7 c version* PK(id b) ub(b) bc(b c) fk->p a_ibfk_1->p",
		"ALTER TABLE a ADD x INT CHECK (x > DEFAULT(x)) DEFAULT 5":                                                               "a: id b=7 c version* x=5 PK(id b) ub(b) bc(b c) fk->p",
		"CREATE OR REPLACE TABLE a (`key` INT DEFAULT 3 PRIMARY KEY, `default` INT)":                                             "a: key=3 default PK(key)",
		"ALTER ONLINE IGNORE TABLE IF EXISTS a DROP c; RENAME TABLE IF EXISTS a TO z":                                            "z: id b=7 version* PK(id b) ub(b) bc(b) fk->p",
		"ALTER TABLE a ADD CHECK (b > 1), ALGORITHM=INSTANT, LOCK=NONE":                                                          "a: id b=7 c version* PK(id b) ub(b) bc(b c) fk->p",
		"CREATE UNIQUE INDEX u ON a (c, b); DROP INDEX bc ON a":                                                                  "a: id b=7 c version* PK(id b) ub(b) u(c b) fk->p",
		"CREATE FULLTEXT INDEX ft ON a (c)":                                                                                      "a: id b=7 c version* PK(id b) ub(b) bc(b c) fk->p",
		"RENAME TABLE p TO q, a TO z":                                                                                            "z: id b=7 c version* PK(id b) ub(b) bc(b c) fk->q",
		"ALTER TABLE shop.A RENAME AS z; ALTER TABLE z DROP c":                                                                   "z: id b=7 version* PK(id b) ub(b) bc(b) fk->p",
		"CREATE TABLE IF NOT EXISTS a (id INT); CREATE TEMPORARY TABLE a (i INT)":                                                "a: id b=7 c version* PK(id b) ub(b) bc(b c) fk->p",
		"CREATE OR REPLACE TABLE a (id INT PRIMARY KEY)":                                                                         "a: id PK(id)",
		"DROP TABLE IF EXISTS `a`":                                                                                               "none",
		"DROP TEMPORARY TABLE a; DROP VIEW a":                                                                                    "a: id b=7 c version* PK(id b) ub(b) bc(b c) fk->p",
	} {
		t.Run(statements, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, alteredTable(t, statements))
		})
	}
}

// Ensures that the user's Versions make a column the version, win over the comment, and are passed over where they
// name what does not exist.
func TestReadSchema_versions(t *testing.T) {
	t.Parallel()
	for column, want := range map[string]string{"B": "b", "nothing": "version", "": "version"} {
		c := ReadSchema([]Source{{"a.sql", alterBase}}, Versions{"A": column, "unknown": "x"})
		require.Equal(t, want, c.Table("a").Version.Name)
		require.Nil(t, c.Table("p").Version)
	}
}

// Ensures that what the parser does not know is reported once, by its name, on its line, and that what has nothing to do
// with tables is not.
func TestReadSchema_unparsed(t *testing.T) {
	t.Parallel()
	for statement, names := range map[string]string{
		"CREATE TABLE shop.`odd one` (id INT) WITH SYSTEM VERSIONING": "CREATE TABLE odd one,",
		"CREATE TABLE IF NOT EXISTS t (ip INET6)":                     "CREATE TABLE t,",
		"ALTER TABLE t ADD PERIOD FOR SYSTEM_TIME (a, b)":             "ALTER TABLE t,",
		"CREATE TRIGGER g BEFORE UPDATE, DELETE ON t":                 "CREATE TRIGGER g,",
		"CREAT TABLE t (id INT)":                                      "this statement,",
		"DROP TABLE":                                                  "this statement,",
		"CREATE SEQUENCE s START WITH 1":                              "",
		"CREATE PROCEDURE p() BEGIN CALL q(); END":                    "",
		"INSERT INTO t (id) VALUES (1) RETURNING id":                  "",
		"GRANT SOMETHING ODD TO nobody":                               "",
		"SET STATEMENT max_statement_time=1 FOR SELECT 1":             "",
		"CREATE VIEW v AS SELECT * FROM t FOR SYSTEM_TIME ALL":        "",
	} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			c := ReadSchema([]Source{{"a.sql", "\n" + statement + ";"}}, nil)
			if names == "" {
				require.Empty(t, c.Unparsed)
				return
			}
			require.Len(t, c.Unparsed, 1)
			f := c.Unparsed[0]
			require.Equal(t, "CAS028", f.Rule)
			require.Equal(t, 2, f.Line)
			require.Contains(t, f.Message, names)
			require.NotContains(t, f.Message, "\n")
			require.Less(t, len(f.Message), 300)
		})
	}
}

// Ensures that no text makes the reader panic, and that all it found is inside of the text.
func FuzzReadSchema(f *testing.F) {
	for _, text := range schemaSeeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := ReadSchema([]Source{{"a.sql", alterBase}, {"b.sql", text}}, Versions{"a": "b"})
		inside := func(src Source, span Span) {
			require.True(t, 0 <= span.Start && span.Start <= span.End && span.End <= len(src.Text), "%v of %d", span, len(src.Text))
		}
		for _, table := range c.Tables {
			inside(table.Source, table.Span)
			for _, column := range table.Columns {
				inside(column.Source, column.Span)
			}
			for _, key := range table.ForeignKeys {
				inside(key.Source, key.Span)
			}
		}
		for _, g := range c.Triggers {
			inside(g.Source, g.Span)
			inside(g.Source, g.body)
		}
		for _, r := range c.Routines {
			inside(r.Source, r.Span)
			inside(r.Source, r.Body)
		}
		CheckSchema(c)
	})
}
