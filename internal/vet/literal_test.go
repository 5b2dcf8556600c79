package vet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Ensures that the fault is marked in the Go file, whatever the literal is: after escapes and wide characters, on
// a later line of a raw string, in one of several that are put together, in a constant of another file.
func TestFaultsAreMarkedInTheLiteral(t *testing.T) {
	t.Parallel()
	report, err := Run(t.Context(), fixtureJob(t, "./text/..."))
	require.NoError(t, err)
	var marked []string
	for _, f := range report.Findings {
		if f.Rule == "CAS001" {
			under := []rune(f.Excerpt)[f.Column-1:][:f.Length]
			marked = append(marked, strings.TrimSpace(f.Excerpt)+" => "+string(under))
		}
	}
	golden(t, "testdata/marked.txt", strings.Join(marked, "\n")+"\n")
}

// Ensures that escapes are mapped byte by byte, and that carriage returns, which Go leaves out of raw strings, do
// not shift what follows.
func TestUnquoteTakesOneCharacter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, value, rest string
		quote                   byte
	}{
		{"a letter", `ab`, "a", "b", '"'},
		{"an escaped quote", `\"b`, `"`, "b", '"'},
		{"a tab", `\tb`, "\t", "b", '"'},
		{"a byte", `\xffb`, "\xff", "b", '"'},
		{"an octal byte", `\101b`, "A", "b", '"'},
		{"a code point of two bytes", `\u00e9b`, "é", "b", '"'},
		{"a wide character", `世b`, "世", "b", '"'},
		{"a backslash in a raw string", `\tb`, `\`, "tb", '`'},
		{"a carriage return in a raw string", "\r\n", "", "\n", '`'},
	} {
		value, rest := unquote(c.text, c.quote)
		require.Equal(t, c.value, value, c.name)
		require.Equal(t, c.rest, rest, c.name)
	}
}

// Ensures that a span is found in the part that it begins in, and cut off where that ends.
func TestSpansAreLocated(t *testing.T) {
	t.Parallel()
	l := literal{value: "abcdefg", parts: []part{
		{start: 0, file: "a.go", at: []int{10, 11, 12}},
		{start: 2, file: "b.go", at: []int{50, 54, 58}},
		{start: 4, file: "b.go", at: []int{70, 70, 70, 75}}, // a constant's name
	}}
	for _, c := range []struct {
		span sqlcheck.Span
		file string
		want sqlcheck.Span
	}{
		{sqlcheck.Span{Start: 0, End: 1}, "a.go", sqlcheck.Span{Start: 10, End: 11}},
		{sqlcheck.Span{Start: 1, End: 4}, "a.go", sqlcheck.Span{Start: 11, End: 12}},
		{sqlcheck.Span{Start: 2, End: 3}, "b.go", sqlcheck.Span{Start: 50, End: 54}},
		{sqlcheck.Span{Start: 3, End: 4}, "b.go", sqlcheck.Span{Start: 54, End: 58}},
		{sqlcheck.Span{Start: 5, End: 6}, "b.go", sqlcheck.Span{Start: 70, End: 75}},
	} {
		file, span := l.locate(c.span)
		require.Equal(t, c.file, file)
		require.Equal(t, c.want, span)
	}
}
