package sqlcheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that a text falls into its statements wherever a semicolon may stand without ending one.
func TestSplit(t *testing.T) {
	t.Parallel()
	const body = "BEGIN IF a THEN b; ELSEIF c THEN d; ELSE e; END IF; WHILE f DO g; END WHILE; CASE h WHEN 1 THEN i; END CASE; " +
		"l: LOOP LEAVE l; END LOOP l; REPEAT j; UNTIL k END REPEAT; BEGIN m; END; END"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":                {"", nil},
		"blanks and comments":    {" -- a;\n# b;\n/* c; */ \n;;", nil},
		"without a semicolon":    {"SELECT 1", []string{"SELECT 1"}},
		"byte order mark":        {"\ufeffSELECT 1", []string{"SELECT 1"}},
		"two":                    {"SELECT 1; SELECT 2 ;\n", []string{"SELECT 1", "SELECT 2"}},
		"comment before it":      {"-- a\nSELECT 1;", []string{"SELECT 1"}},
		"comment within it":      {"SELECT 1 -- a;\n + 2;", []string{"SELECT 1 -- a;\n + 2"}},
		"comment after the last": {"SELECT 1\n-- a", []string{"SELECT 1"}},
		"dashes are no comment":  {"SELECT 1--1; SELECT 2", []string{"SELECT 1--1", "SELECT 2"}},
		"single quotes":          {`SELECT 'a;''b;\';'; x`, []string{`SELECT 'a;''b;\';'`, "x"}},
		"double quotes":          {`SELECT "a;""b;\";"; x`, []string{`SELECT "a;""b;\";"`, "x"}},
		"backquotes":             {"SELECT `a;``b\\`; x", []string{"SELECT `a;``b\\`", "x"}},
		"comment marks in quotes": {
			"SELECT '-- ', '/*', \"#\"; x", []string{"SELECT '-- ', '/*', \"#\"", "x"},
		},
		"quotes in comments":        {"/* it's */ a; -- it's\nb", []string{"a", "b"}},
		"unclosed quote":            {"a; 'b; c", []string{"a", "'b; c"}},
		"unclosed comment":          {"a; /* b; c", []string{"a"}},
		"executable comment":        {"/*!40101 SET a = 1 */; b", []string{"/*!40101 SET a = 1 */", "b"}},
		"executable comment within": {"a /*! b; c */ d; e", []string{"a /*! b; c */ d", "e"}},
		"MariaDB's":                 {"/*M!100100 a; b */; c", []string{"/*M!100100 a; b */", "c"}},
		"trigger":                   {"CREATE TRIGGER t BEFORE UPDATE ON a FOR EACH ROW " + body + "; x", []string{"CREATE TRIGGER t BEFORE UPDATE ON a FOR EACH ROW " + body, "x"}},
		"trigger without BEGIN":     {"CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW SET @a = 1; x", []string{"CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW SET @a = 1", "x"}},
		"trigger with IF alone":     {"CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW FOLLOWS u IF a THEN b; END IF; x", []string{"CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW FOLLOWS u IF a THEN b; END IF", "x"}},
		"procedure":                 {"create definer=`a`@`b` procedure p(a int) " + strings.ToLower(body) + "; x", []string{"create definer=`a`@`b` procedure p(a int) " + strings.ToLower(body), "x"}},
		"function":                  {"CREATE FUNCTION f() RETURNS VARCHAR(3) CHARSET utf8 DETERMINISTIC " + body + "; x", []string{"CREATE FUNCTION f() RETURNS VARCHAR(3) CHARSET utf8 DETERMINISTIC " + body, "x"}},
		"event":                     {"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO " + body + "; x", []string{"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO " + body, "x"}},
		"OR REPLACE":                {"CREATE OR REPLACE PROCEDURE p() BEGIN a; END; x", []string{"CREATE OR REPLACE PROCEDURE p() BEGIN a; END", "x"}},
		"anonymous block":           {"BEGIN NOT ATOMIC a; b; END; x", []string{"BEGIN NOT ATOMIC a; b; END", "x"}},
		"a transaction is no block": {"BEGIN; a; COMMIT;", []string{"BEGIN", "a", "COMMIT"}},
		"a table of events":         {"CREATE TABLE event (begin INT, `case` INT); x", []string{"CREATE TABLE event (begin INT, `case` INT)", "x"}},
		"functions are no blocks": {
			"CREATE PROCEDURE p() BEGIN SET a = IF(b, REPEAT('c', 2), CASE WHEN d THEN IF(e, 1, 2) ELSE 3 END); SELECT NEW.end, NEW.case, begin FROM f; END; x",
			[]string{"CREATE PROCEDURE p() BEGIN SET a = IF(b, REPEAT('c', 2), CASE WHEN d THEN IF(e, 1, 2) ELSE 3 END); SELECT NEW.end, NEW.case, begin FROM f; END", "x"},
		},
		"handler": {
			"CREATE PROCEDURE p() BEGIN DECLARE EXIT HANDLER FOR SQLSTATE '23000' BEGIN a; END; b; END; x",
			[]string{"CREATE PROCEDURE p() BEGIN DECLARE EXIT HANDLER FOR SQLSTATE '23000' BEGIN a; END; b; END", "x"},
		},
		"DROP IF EXISTS": {"DROP TRIGGER IF EXISTS a; CREATE PROCEDURE IF NOT EXISTS p() a; b", []string{"DROP TRIGGER IF EXISTS a", "CREATE PROCEDURE IF NOT EXISTS p() a", "b"}},
		"DELIMITER": {
			"DELIMITER //\nCREATE PROCEDURE p() BEGIN a; END//\nb; c //\ndelimiter ;\nd;", []string{"CREATE PROCEDURE p() BEGIN a; END", "b", "c", "d"},
		},
		"DELIMITER of letters that names have": {"DELIMITER $$\nCREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN b; END$$ c$$", []string{"CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN b; END", "c"}},
		"DELIMITER is a name elsewhere":        {"SELECT delimiter FROM a; b", []string{"SELECT delimiter FROM a", "b"}},
		"what a delimiter closes is closed":    {"DELIMITER //\nCREATE PROCEDURE p() BEGIN a; // b; c//", []string{"CREATE PROCEDURE p() BEGIN a;", "b", "c"}},
		"other letters":                        {"SELECT 'ä;', `é;` ; ü", []string{"SELECT 'ä;', `é;`", "ü"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range Split(c.text) {
				got = append(got, c.text[s.Start:s.End])
			}
			require.Equal(t, c.want, got)
		})
	}
}

// Ensures that any text splits, into spans in their order, and that nothing is lost between them.
func FuzzSplit(f *testing.F) {
	for _, text := range schemaSeeds(f) {
		f.Add(text)
	}
	f.Add("DELIMITER $$\nCREATE TRIGGER t BEGIN a; END$$\nDELIMITER ;\nx")
	f.Add("/*! a; */ 'b\\'; `c` \"")
	f.Fuzz(func(t *testing.T, text string) {
		between, at := []byte(strings.TrimPrefix(text, byteOrderMark)), 0
		cut := len(text) - len(between)
		for _, s := range Split(text) {
			require.True(t, at <= s.Start && s.Start < s.End && s.End <= len(text), "%v of %d after %d", s, len(text), at)
			require.False(t, isBlank(text[s.Start]))
			at = s.End
			copy(between[s.Start-cut:s.End-cut], strings.Repeat(" ", s.End-s.Start))
		}
		if strings.Contains(strings.ToUpper(text), delimiterWord) {
			return // what is left is its line, and the delimiters that it sets
		}
		for _, left := range scanTokens(string(between)) {
			require.Equal(t, ";", left.text, "lost")
		}
	})
}

// schemaSeeds are the paragraphs of the schemas among the test data: short texts make fast fuzzing.
func schemaSeeds(f *testing.F) []string {
	f.Helper()
	var seeds []string
	for _, pattern := range []string{"testdata/schema/*.sql", "testdata/rules/CAS0*.sql", "testdata/rules/schema.sql"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(f, err)
			seeds = append(seeds, strings.Split(string(text), "\n\n")...)
		}
	}
	return seeds
}
