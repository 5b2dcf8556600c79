package witness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that a second statement is found wherever multiStatements would run one, and that a
// semicolon in a text, a name or a comment is none.
func TestSeveralStatements(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"UPDATE a SET b = 1; COMMIT":                  true,
		"UPDATE a SET b = 1;COMMIT;":                  true,
		"UPDATE a SET b = ';' WHERE c = 1; COMMIT":    true,
		"SELECT 1; /*! COMMIT */":                     true,
		"SELECT 1; 2":                                 true,
		"UPDATE a SET b = 'it''s'; COMMIT":            true,
		"UPDATE a SET b = 'it\\'s;' ; COMMIT":         true,
		"SELECT 1; -- and\nCOMMIT":                    true,
		"UPDATE a SET b = 1":                          false,
		"UPDATE a SET b = 1;":                         false,
		"UPDATE a SET b = 1; ;\n":                     false,
		"UPDATE a SET b = 1; -- COMMIT":               false,
		"UPDATE a SET b = 1; /* COMMIT */":            false,
		"INSERT INTO a VALUES ('x; COMMIT')":          false,
		`INSERT INTO a VALUES ("x; COMMIT")`:          false,
		"SELECT `a;b` FROM c":                         false,
		"-- name: Get :one; or so\nSELECT 1":          false,
		"/* a; b */ SELECT 1":                         false,
		"# a; b\nSELECT 1":                            false,
		"INSERT INTO a VALUES ('it\\'s; COMMIT')":     false,
		"INSERT INTO a VALUES ('never closed; COMMIT": false,
	} {
		require.Equal(t, want, several(query), "several(%q)", query)
	}
}

// Ensures which statements may change rows, past what stands in front of them.
func TestWhatWrites(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"UPDATE a SET b = 1": true,
		"SET STATEMENT max_statement_time = 1 FOR UPDATE a SET b = 1": true,
		"WITH c AS (SELECT 1) UPDATE a SET b = 1":                     true,
		"INSERT INTO a VALUES (1) RETURNING id":                       true,
		"CALL pay()":                                                  true,
		"WITH c AS (SELECT 1) SELECT * FROM c":                        false,
		"SELECT 1":                                                    false,
		"(SELECT 1)":                                                  false,
		"TABLE a":                                                     false,
		"DESCRIBE a":                                                  false,
		"SET @a = 1":                                                  false,
		"USE b":                                                       false,
		"SAVEPOINT s":                                                 false,
	} {
		require.Equal(t, want, writes(query), "writes(%q)", query)
	}
}
