package sqlcheck

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Ensures that every field of the catalogue is what a big schema says: three files, the last of them a
// migration of what the first two made.
func TestReadSchema_golden(t *testing.T) {
	t.Parallel()
	var sources []Source
	for _, name := range []string{"1_tables.sql", "2_oddities.sql", "3_migration.sql"} {
		text, err := os.ReadFile(filepath.Join("testdata", "schema", name))
		require.NoError(t, err)
		sources = append(sources, Source{name, string(text)})
	}
	got := dump(ReadSchema(sources, Versions{"Legacy": "rev"}))

	golden := filepath.Join("testdata", "schema", "catalog.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// dump is a catalogue as text. A place is written as the file, the line and the text of its span.
func dump(c *Catalog) string {
	var b strings.Builder
	for _, t := range c.Tables {
		fmt.Fprintf(&b, "table %s %s comment=%q charset=%q collation=%q primary=%v\n", t.Name, place(t.Source, t.Span),
			t.Comment, t.Charset, t.Collation, t.Primary)
		for _, col := range t.Columns {
			fmt.Fprintf(&b, "  column %s\n", dumpColumn(col, t.Version))
		}
		for _, i := range t.Indexes {
			fmt.Fprintf(&b, "  index %s %q unique=%v\n", i.Name, i.Columns, i.Unique)
		}
		for _, k := range t.ForeignKeys {
			fmt.Fprintf(&b, "  foreign key %s %v -> %s%v delete=%q update=%q %s\n", k.Name, k.Columns, k.Table, k.References,
				k.OnDelete, k.OnUpdate, place(k.Source, k.Span))
		}
	}
	for _, g := range c.Triggers {
		fmt.Fprintf(&b, "trigger %s on %s before=%v event=%s %s body=%q\n", g.Name, g.Table, g.Before, g.Event,
			place(g.Source, g.Span), g.Body)
	}
	for _, f := range c.Unparsed {
		fmt.Fprintf(&b, "unparsed %s %s:%d:%d +%d %s\n  %s\n", f.Rule, f.File, f.Line, f.Column, f.Length, f.Message, f.Mend)
	}
	return b.String()
}

func dumpColumn(c, version *Column) string {
	words := []string{c.Name, place(c.Source, c.Span), fmt.Sprintf("%s(%d,%d)", c.Type, c.Length, c.Scale)}
	for _, flag := range []struct {
		is   bool
		text string
	}{
		{c.Unsigned, "unsigned"},
		{c.NotNull, "not null"},
		{c.OnUpdate, "on update"},
		{c.Generated, "generated"},
		{c.AutoIncrement, "auto_increment"},
		{c.Invisible, "invisible"},
		{c.Elements != nil, fmt.Sprint("elements=", c.Elements)},
		{c.Comment != "", fmt.Sprintf("comment=%q", c.Comment)},
		{c.Charset != "", "charset=" + c.Charset},
		{c.Collation != "", "collation=" + c.Collation},
		{c.Default != "", "default=" + c.Default},
		{c == version, "VERSION"},
	} {
		if flag.is {
			words = append(words, flag.text)
		}
	}
	return strings.Join(words, " ")
}

func place(src Source, span Span) string {
	f := src.At("", span, "", "")
	return fmt.Sprintf("@%s:%d[%s]", src.Name, f.Line, strings.Join(strings.Fields(src.Text[span.Start:span.End]), " "))
}
