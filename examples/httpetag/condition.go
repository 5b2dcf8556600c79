package main

import (
	"errors"
	"fmt"
	"strings"
)

// maxTags is how many entity tags a condition may list; each costs two hashes.
const maxTags = 32

// errSyntax says that a header is not what RFC 9110 calls a condition.
var errSyntax = errors.New("not a list of entity tags")

// condition is an If-Match or If-None-Match.
type condition struct {
	given bool
	any   bool        // *: the row exists
	tags  []entityTag // else these
}

// entityTag is one of a list.
type entityTag struct {
	weak   bool
	opaque string // without the quotes
}

// parseCondition reads the values of If-Match or If-None-Match: "*", or entity tags with commas between,
// over one header line or several. It is strict, except that RFC 9110 has recipients skip empty elements of
// lists. A header line without a value is a condition that lists nothing, and matches nothing.
func parseCondition(lines []string) (condition, error) {
	if len(lines) == 0 {
		return condition{}, nil
	}
	c := condition{given: true}
	list := strings.Join(lines, ",")
	if strings.Trim(list, " \t") == "*" {
		c.any = true
		return c, nil
	}
	for {
		list = strings.TrimLeft(list, " \t,") // empty elements
		if list == "" {
			return c, nil
		}
		tag, rest, err := cutTag(list)
		if err != nil {
			return condition{}, err
		}
		if len(c.tags) == maxTags {
			return condition{}, fmt.Errorf("%w: more than %d of them", errSyntax, maxTags)
		}
		c.tags = append(c.tags, tag)
		list = strings.TrimLeft(rest, " \t")
		if list != "" && list[0] != ',' {
			return condition{}, fmt.Errorf("%w: a comma is missing after %d of them", errSyntax, len(c.tags))
		}
	}
}

// cutTag reads the entity tag at the start of a list. A comma inside of the quotes belongs to the tag.
func cutTag(list string) (tag entityTag, rest string, err error) {
	list, tag.weak = strings.CutPrefix(list, "W/")
	if list == "" || list[0] != '"' {
		return entityTag{}, "", fmt.Errorf(`%w: write each in double quotes, as it came: "..."`, errSyntax)
	}
	end := strings.IndexByte(list[1:], '"')
	if end < 0 {
		return entityTag{}, "", fmt.Errorf("%w: a closing quote is missing", errSyntax)
	}
	tag.opaque, rest = list[1:1+end], list[end+2:]
	for i := range len(tag.opaque) {
		if c := tag.opaque[i]; c <= ' ' || c == 0x7f {
			return entityTag{}, "", fmt.Errorf("%w: there is a space or control character in one", errSyntax)
		}
	}
	return tag, rest, nil
}
