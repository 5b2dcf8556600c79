package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Ensures that conditions are read as RFC 9110 writes them: * alone, lists over one line or several,
// commas and backslashes inside of quotes, weak tags, empty elements, and anything beyond ASCII.
func TestParseCondition(t *testing.T) {
	t.Parallel()
	strong := func(opaque ...string) condition {
		c := condition{given: true}
		for _, o := range opaque {
			c.tags = append(c.tags, entityTag{opaque: o})
		}
		return c
	}
	for name, c := range map[string]struct {
		lines []string
		want  condition
	}{
		"none":           {nil, condition{}},
		"empty":          {[]string{""}, condition{given: true}},
		"any":            {[]string{" * "}, condition{given: true, any: true}},
		"one":            {[]string{`"a"`}, strong("a")},
		"nothing inside": {[]string{`""`}, strong("")},
		"two":            {[]string{`"a", "b"`}, strong("a", "b")},
		"tight":          {[]string{`"a","b"`}, strong("a", "b")},
		"two lines":      {[]string{`"a"`, `"b" `}, strong("a", "b")},
		"comma inside":   {[]string{`"a,b" ,	"c"`}, strong("a,b", "c")},
		"backslash":      {[]string{`"a\", "b"`}, strong(`a\`, "b")},
		"star inside":    {[]string{`"*"`}, strong("*")},
		"empty elements": {[]string{`, ,"a",,`, ``, `"b",`}, strong("a", "b")},
		"weak":           {[]string{`W/"a"`}, condition{given: true, tags: []entityTag{{weak: true, opaque: "a"}}}},
		"beyond ASCII":   {[]string{"\"\xe9!~\""}, strong("\xe9!~")},
	} {
		got, err := parseCondition(c.lines)
		if err != nil || got.given != c.want.given || got.any != c.want.any || !slices.Equal(got.tags, c.want.tags) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

// Ensures that what is no condition is an error and not one that matches nothing, or worse anything.
func TestParseConditionRefuses(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"no quotes":        {"a"},
		"a number":         {"3"},
		"open":             {`"a`},
		"closed only":      {`a"`},
		"no comma":         {`"a" "b"`},
		"glued":            {`"a""b"`},
		"glued to text":    {`"a"b`},
		"small w":          {`w/"a"`},
		"space after W/":   {`W/ "a"`},
		"W/ alone":         {`W/`},
		"star and a tag":   {`*, "a"`},
		"star on its line": {`"a"`, `*`},
		"two stars":        {`*`, `*`},
		"space inside":     {`"a b"`},
		"tab inside":       {"\"a\tb\""},
		"control inside":   {"\"a\x7fb\""},
		"too many":         {strings.Repeat(`"a",`, maxTags+1)},
	} {
		if got, err := parseCondition(lines); !errors.Is(err, errSyntax) {
			t.Errorf("%s: got %+v, %v, want %v", name, got, err, errSyntax)
		}
	}
	if _, err := parseCondition([]string{strings.Repeat(`"a",`, maxTags)}); err != nil {
		t.Errorf("got %v for %d tags, want none", err, maxTags)
	}
}

// FuzzCondition ensures that no header makes the parser panic, and that what it reads is what it has been
// told: written out again, it reads the same.
func FuzzCondition(f *testing.F) {
	for _, seed := range []string{`"a", W/"b,c"`, `*`, `"a`, ` , ,"a",,`, `W/`, `"é" "x"`} {
		f.Add(seed, `"d"`)
		f.Add(seed, "")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		c, err := parseCondition([]string{first, second})
		if err != nil {
			return
		}
		again := []string{"*"}
		if !c.any {
			again = again[:0]
			for _, tag := range c.tags {
				text := `"` + tag.opaque + `"`
				if tag.weak {
					text = "W/" + text
				}
				if !strings.Contains(first+","+second, text) {
					t.Errorf("%q, %q: got a tag %s that is not there", first, second, text)
				}
				again = append(again, text)
			}
			again = append(again, "")
		}
		got, err := parseCondition(again)
		if err != nil || got.any != c.any || !slices.Equal(got.tags, c.tags) {
			t.Errorf("%q, %q: got %+v, and written out again %+v, %v", first, second, c, got, err)
		}
	})
}
