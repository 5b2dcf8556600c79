package casgen

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// checkKeys refuses an option that Options has no field for, and one whose value is of another kind than the
// field. It compares as YAML does: Package is not package.
func checkKeys(raw []byte) error {
	return checkValue(raw, reflect.TypeFor[Options](), nil)
}

// checkValue looks at the value at that path of options.
func checkValue(raw json.RawMessage, as reflect.Type, at []string) error {
	switch as.Kind() {
	case reflect.Pointer:
		return checkValue(raw, as.Elem(), at)
	case reflect.Map, reflect.Struct:
		return checkObject(raw, as, at)
	case reflect.Slice:
		if as == reflect.TypeFor[json.RawMessage]() { // go_type: a text, or a map
			if strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
				return checkObject(raw, reflect.TypeFor[goTypeObject](), at)
			}
			return nil
		}
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return mistaken(at, "a list")
		}
		for i, item := range items {
			if err := checkValue(item, as.Elem(), append(slices.Clip(at), strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	}
	if json.Unmarshal(raw, reflect.New(as).Interface()) != nil {
		return mistaken(at, kindNames[as.Kind()])
	}
	return nil
}

func checkObject(raw json.RawMessage, as reflect.Type, at []string) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return mistaken(at, "a map")
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		path := append(slices.Clip(at), key)
		of, known := fieldOf(as, key)
		if !known {
			return unknown(path)
		}
		if err := checkValue(fields[key], of, path); err != nil {
			return err
		}
	}
	return nil
}

// fieldOf returns the type of what a key holds.
func fieldOf(as reflect.Type, key string) (reflect.Type, bool) {
	if as.Kind() == reflect.Map {
		return as.Elem(), true
	}
	for i := range as.NumField() {
		if f := as.Field(i); f.Tag.Get("json") == key {
			return f.Type, true
		}
	}
	return nil, false
}

var kindNames = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a text", reflect.Int32: "a whole number",
}

func mistaken(path []string, kind string) error {
	if len(path) == 0 {
		return fmt.Errorf("the plugin's options are no map: %s", known(path))
	}
	return fmt.Errorf("%s is to be %s", where(path), kind)
}

func unknown(path []string) error {
	if len(path) > 1 && (path[0] == "go" || path[0] == "overrides") {
		return fmt.Errorf("%s is unknown to this version of sqlcas: it may change names that the generated code must know. "+
			"Leave it out, or take a version of sqlcas that knows it", where(path))
	}
	return fmt.Errorf("%s is unknown: %s", where(path), known(path))
}

// where names an option as its user has written it: gen.go and overrides.go are there by an alias.
func where(path []string) string {
	name := strings.Join(path[min(1, len(path)-1):], ".")
	switch {
	case path[0] == "go" && len(path) > 1:
		return "gen.go option " + name
	case path[0] == "overrides" && len(path) > 1:
		return "overrides.go option " + name
	}
	return "option " + strings.Join(path, ".")
}

// known says what could have been written in the place of a path's last key.
func known(path []string) string {
	of, whose := reflect.TypeFor[Options](), "the plugin's options"
	if len(path) > 1 {
		of, whose = reflect.TypeFor[TableOptions](), "a table's options"
	}
	var names []string
	for i := range of.NumField() {
		names = append(names, of.Field(i).Tag.Get("json"))
	}
	return whose + " are " + strings.Join(names, ", ")
}
