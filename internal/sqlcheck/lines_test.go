package sqlcheck

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ensures that a fault in a long line is shown with what is around it, at the column that it has in the file.
func TestAt_longLine(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int{"at the start": 0, "in the middle": 5000, "near the end": 9950} {
		text := "SELECT 1;\n" + strings.Repeat("é", at) + "FAULT" + strings.Repeat("é", 10_000-at) + "\nSELECT 2"
		start := strings.Index(text, "FAULT")
		f := Source{"a.sql", text}.At("CAS001", Span{start, start + 5}, "", "")
		require.Equal(t, []int{2, at + 1, 5}, []int{f.Line, f.Column, f.Length}, name)
		excerpt := []rune(f.Excerpt)
		require.Len(t, excerpt, 200, name)
		require.Equal(t, "FAULT", string(excerpt[f.Column-f.From:][:f.Length]), name)
	}
	short := Source{"a.sql", "\ta\r\n"}.At("CAS001", Span{1, 2}, "", "")
	require.Equal(t, []any{"\ta", 1, 2}, []any{short.Excerpt, short.From, short.Column})
}

// Ensures that an offset and its line and column are the same place, in text that is no UTF-8 too.
func TestLines_place(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ab\xff\n\r\n世界"+strings.Repeat("x", 700), 9)
	l := linesIn(text)
	src := Source{"a.sql", text}
	for at := range text {
		f := src.At("CAS001", Span{at, at}, "", "")
		require.Equal(t, at, l.place(f.Line, f.Column))
		require.Equal(t, strings.Count(text[:at], "\n")+1, f.Line)
	}
	require.Equal(t, len(text), l.place(99, 9999))
}

// Ensures that a comment is about the statement that it is in, before or behind, and not about the other one on
// its line.
func TestAllow_oneLine(t *testing.T) {
	t.Parallel()
	const one, two = "DELETE FROM account", "DELETE FROM inventory"
	const allowed = "/* sqlcas:allow CAS001 a repair */"
	catalog := testCatalog(t)
	for text, want := range map[string]string{
		one + "; " + two + ";":                                  "account inventory",
		allowed + one + "; " + two + ";":                        "inventory",
		one + "; " + allowed + " " + two + ";":                  "account",
		"DELETE " + allowed + " FROM account; " + two + ";":     "inventory",
		one + "; " + two + "; " + allowed:                       "account",
		one + "; -- sqlcas:allow CAS001 a repair\n" + two + ";": "inventory",
		"-- sqlcas:allow CAS001 a repair\n" + one + ";" + two:   "inventory",
	} {
		src := Source{"a.sql", text}
		statements := Queries(src)
		var left []string
		for _, f := range Allow(src, statements, CheckQueries(Input{Catalog: catalog}, statements)) {
			require.NotEqual(t, "CAS029", f.Rule, text)
			if f.Rule == "CAS001" {
				line := linesIn(text).place(f.Line, f.Column)
				table, _, _ := strings.Cut(text[line:], ";")
				left = append(left, table)
			}
		}
		require.Equal(t, want, strings.Join(left, " "), text)
	}
}

// Ensures that a file with thousands of faults or of allow comments, and a statement with as many tables as
// servers take, take no more than moments.
func TestRules_time(t *testing.T) {
	t.Parallel()
	const many = 20_000
	joined := func(join string) string {
		text := "UPDATE account a"
		for i := range 60 {
			text += fmt.Sprintf(join, i)
		}
		return text + " SET a.balance = 0"
	}
	chained := "WITH c0 AS (SELECT id, version FROM job)"
	for i := range 50 {
		chained += fmt.Sprintf(", c%d AS (SELECT x.id, x.version FROM c%d x JOIN c%d y)", i+1, i, i)
	}
	chained += " UPDATE account SET version = version + 1 WHERE id = 1 AND version = (SELECT version FROM c50)"
	catalog := testCatalog(t)
	for name, text := range map[string]string{
		"allowed":       strings.Repeat("DELETE FROM account; -- sqlcas:allow CAS001,CAS007 a repair\n", many),
		"faults":        strings.Repeat("DELETE FROM account;\n", many),
		"on one line":   strings.Repeat("DELETE FROM account;", many),
		"comments":      strings.Repeat("-- sqlcas:allow CAS001 a repair\n", many),
		"rows":          "INSERT INTO account (version) VALUES (0)" + strings.Repeat(",(0)", many),
		"joins":         joined(" JOIN account b%[1]d ON b%[1]d.balance = a.id AND b%[1]d.balance = a.balance"),
		"natural joins": joined(" NATURAL JOIN account b%[1]d"),
		"chained CTEs":  chained,
		"lists":         "UPDATE account a" + strings.Repeat(", account b", 400) + " SET a.balance = 0",
	} {
		start := time.Now()
		checkText(catalog, Source{"a.sql", text}, "")
		require.Less(t, time.Since(start), 20*time.Second, name)
		t.Log(name, time.Since(start))
	}
}
