package casgen

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// checkVersion refuses versions that are no integers in Go, and rows that start at what means never read.
func (m *maker) checkVersion(d Descriptor) {
	t, c := d.Table, d.Table.Version
	name := t.Name + "." + c.Name
	g, _ := m.naming.Type(t, c)
	switch plain := goTypeOf(plainType(c)); {
	case t.IsKey(c.Name):
		m.faultAt(c, "CAS006", "version "+name+" is part of the primary key, which a swap does not change", "leave it out of the key")
	case !c.NotNull:
		m.faultAt(c, "CAS006", "version "+name+" may be NULL, which compares equal to nothing", "write NOT NULL at the column")
	case plain.Kind != KindInteger || c.Type == "year":
		m.faultAt(c, "CAS006", "version "+name+" is no integer", "make it BIGINT UNSIGNED NOT NULL DEFAULT 1")
	case c.Generated || c.OnUpdate || c.AutoIncrement:
		m.faultAt(c, "CAS006", "version "+name+" is computed by the server", "make it BIGINT UNSIGNED NOT NULL DEFAULT 1")
	case g.Kind != KindInteger:
		m.faultAt(c, optionRule, "an override makes version "+name+" of type "+g.Text+", of which nothing is known",
			"leave the override out for this column, or take an integer type of Go")
	default:
		m.checkStart(d, name)
	}
}

// checkStart refuses versions whose rows would start at 0, which means that a row was never read, or below. A column
// that is added without a DEFAULT is 0 in the rows that are there, and 1 in those of Insert.
func (m *maker) checkStart(d Descriptor, name string) {
	c := d.Table.Version
	start, known := numberOf(c.Default)
	switch {
	case known && start < 0:
		m.faultAt(c, optionRule, "version "+name+" starts at "+c.Default+", below which no version is", "write DEFAULT 1")
	case d.Zero:
	case known && start == 0:
		m.faultAt(c, optionRule, "version "+name+" starts at 0, which means that a row was never read",
			"write DEFAULT 1, or set option tables."+d.Table.Name+".zero to true")
	case c.Default == "" && isAdded(c):
		m.faultAt(c, optionRule, "version "+name+" is added without a DEFAULT, so that it is 0 in the rows that are there, which means "+
			"that a row was never read", "write DEFAULT 1, and set those to 1 that are 0 by now, or set option tables."+d.Table.Name+".zero to true")
	}
}

// numberOf reads a DEFAULT as it is written, and as an integer column takes it: 0, 0.4, '0', (0), -1, FALSE, b'0', 0x00.
func numberOf(sql string) (number float64, known bool) {
	text := strings.ToLower(strings.Trim(sql, "() "))
	switch text {
	case "false":
		return 0, true
	case "true":
		return 1, true
	}
	for prefix, base := range map[string]int{"b'": 2, "0b": 2, "x'": 16, "0x": 16} {
		if digits, ok := strings.CutPrefix(text, prefix); ok {
			n, err := strconv.ParseUint(strings.TrimSuffix(digits, "'"), base, 64)
			return float64(n), err == nil
		}
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(strings.Trim(text, `'"`), " ", ""), 64)
	return math.Round(number), err == nil
}

var (
	alters  = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|#[^\n]*\n|/\*.*?\*/)*ALTER\b`)
	changes = regexp.MustCompile(`(?i)\b(ADD|MODIFY|CHANGE)\b`)
)

// isAdded reports whether a column was added to a table that was there.
func isAdded(c *sqlcheck.Column) bool {
	for _, statement := range sqlcheck.Split(c.Source.Text) {
		if statement.Start > c.Span.Start || c.Span.Start >= statement.End {
			continue
		}
		before := c.Source.Text[statement.Start:c.Span.Start]
		words := changes.FindAllString(before, -1)
		return alters.MatchString(before) && len(words) > 0 && strings.EqualFold(words[len(words)-1], "ADD")
	}
	return false
}
