package schema_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/schema"
)

var (
	lineComment = regexp.MustCompile(`(?m)--.*$`)
	createTable = regexp.MustCompile(`CREATE TABLE (\w+)`)
	references  = regexp.MustCompile(`REFERENCES (\w+)`)
	optIn       = regexp.MustCompile(
		`(?m)^\s*version +BIGINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'sqlcas:version'$`)
)

// Ensures that every element of Shop is one CREATE TABLE, which a connection without
// multiStatements takes, and that no table points to one that is created after it.
func TestShopStatementsRunOneByOneInOrder(t *testing.T) {
	t.Parallel()
	created := map[string]bool{}
	for _, stmt := range schema.Shop() {
		code := strings.TrimSpace(lineComment.ReplaceAllString(stmt, ""))
		if got := strings.Count(code, ";"); got != 1 || !strings.HasSuffix(code, ";") {
			t.Errorf("got %d semicolons in %q, want one, at its end", got, code)
		}
		name := createTable.FindStringSubmatch(code)
		if name == nil {
			t.Fatalf("got no CREATE TABLE in %q, want one", code)
		}
		for _, ref := range references.FindAllStringSubmatch(code, -1) {
			if !created[ref[1]] {
				t.Errorf("%s refers to %s, which is not created before it", name[1], ref[1])
			}
		}
		created[name[1]] = true
	}
	for _, want := range []string{"account", "inventory", "ledger_entry"} {
		if !created[want] {
			t.Errorf("got no table %s, want it among %v", want, created)
		}
	}
	if len(created) != 3 {
		t.Errorf("got %d tables, want 3", len(created))
	}
}

// Ensures that Sqlcas is one CREATE TABLE as well, of a table whose ids are compared byte by byte.
func TestSqlcasStatementsRunOneByOne(t *testing.T) {
	t.Parallel()
	stmts := schema.Sqlcas()
	if len(stmts) != 1 {
		t.Fatalf("got %d statements, want that of sqlcas_operation alone", len(stmts))
	}
	code := strings.TrimSpace(lineComment.ReplaceAllString(stmts[0], ""))
	if got := strings.Count(code, ";"); got != 1 || !strings.HasSuffix(code, ";") {
		t.Errorf("got %d semicolons in %q, want one, at its end", got, code)
	}
	if name := createTable.FindStringSubmatch(code); name == nil || name[1] != "sqlcas_operation" {
		t.Errorf("got the table %q, want sqlcas_operation", name)
	}
	if !regexp.MustCompile(`(?m)^\s*id +VARBINARY\(255\) NOT NULL,$`).MatchString(code) {
		t.Errorf("got %q, want an id of 255 bytes", code)
	}
}

// Ensures that exactly the two tables that are swapped carry the opt-in comment on a version column
// of the right type.
func TestShopVersionedTablesOptIn(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"account": true, "inventory": true, "ledger_entry": false}
	for _, stmt := range schema.Shop() {
		name := createTable.FindStringSubmatch(stmt)[1]
		if got := optIn.MatchString(stmt); got != want[name] {
			t.Errorf("%s: got opt-in %v, want %v", name, got, want[name])
		}
	}
}

// Ensures that a caller who changes what Shop returned does not change it for the next one.
func TestShopReturnsNewSlice(t *testing.T) {
	t.Parallel()
	first := schema.Shop()
	first[0] = "changed"
	if got := schema.Shop()[0]; got == "changed" {
		t.Errorf("got %q, want the schema's own text", got)
	}
}
