package main

import (
	"errors"
	"strings"
)

// list is a flag whose items stand apart by commas, and may have blanks around them. The first time it is given
// it replaces the default; each further time adds to it.
type list struct {
	items *[]string
	given bool
}

// String is the list as a command line has it, also in the help.
func (l *list) String() string {
	if l.items == nil { // how the help finds out what an empty one looks like
		return ""
	}
	return strings.Join(*l.items, ",")
}

// Type is what the help calls it where its description has no better name.
func (l *list) Type() string { return "list" }

// Set takes what the command line says. It refuses a comma too many, which may stand for an item that was forgotten.
func (l *list) Set(text string) error {
	if !l.given {
		*l.items, l.given = nil, true
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			return errors.New("a comma has nothing before or behind it: leave the comma away, or add what is missing")
		}
		*l.items = append(*l.items, item)
	}
	return nil
}
