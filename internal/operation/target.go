package operation

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxTarget = 255 // the width of the column
	keptBytes = 180 // of a target that is too long
)

// Target writes down what an operation changes: the rows of a table with these keys, in the order given.
// kind says what is done to them, and is empty for an update, by whichever method. Different targets have
// different texts, and a text means the same in all processes:
//
//	account 7
//	delete account 7
//	account ("a" "b")
//
// A key that is a struct is {its fields}, an array of bytes is hexadecimal, and a time is in UTC. What is longer
// than the column ends in a hash of the whole.
func Target(table, kind string, keys ...any) string {
	var b strings.Builder
	if kind != "" {
		b.WriteString(kind + " ")
	}
	if !plainName.MatchString(table) {
		table = strconv.Quote(table)
	}
	b.WriteString(table + " ")
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = keyText(copied(reflect.ValueOf(key)), 0)
	}
	if len(keys) == 1 {
		b.WriteString(texts[0])
	} else {
		b.WriteString("(" + strings.Join(texts, " ") + ")")
	}
	return fit(b.String())
}

// plainName is a table's name that needs no quotes to be told from what stands around it.
var plainName = regexp.MustCompile(`^[\pL_$][\pL\pN_$.]*$`)

// fit shortens a text to the width of the column.
func fit(text string) string {
	if len(text) <= maxTarget {
		return text
	}
	cut := keptBytes
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s sha256:%x", text[:cut], sha256.Sum256([]byte(text)))
}

// maxDepth is how deep a key is looked into. What lies deeper is in a circle of pointers.
const maxDepth = 32

// keyText writes a key or a part of one. It goes by what the value is made of and asks none of its methods: a
// String that leaves something out would make two keys one. v can be addressed, so that all of it can be read.
func keyText(v reflect.Value, depth int) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float()+0, 'g', -1, 64) // -0 and 0 are one key
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex()+0, 'g', -1, 128)
	case reflect.String:
		return strconv.Quote(v.String())
	}
	if depth > maxDepth {
		return placeText(v)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return keyText(v.Elem(), depth+1)
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return v.Elem().Type().String() + "(" + keyText(copied(v.Elem()), depth+1) + ")"
	case reflect.Array, reflect.Slice:
		return listText(v, depth+1)
	case reflect.Map:
		return mapText(v, depth+1)
	case reflect.Struct:
		return structText(v, depth+1)
	}
	return placeText(v)
}

// placeText writes a value of which no table can have a key: by where it is, so that no two are taken for one.
func placeText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Pointer, reflect.Map, reflect.Slice:
		return fmt.Sprintf("%s@%x", v.Type(), v.Pointer())
	}
	return fmt.Sprintf("%s@%x", v.Type(), v.Addr().Pointer())
}

// copied returns the value where it can be addressed.
func copied(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

func listText(v reflect.Value, depth int) string {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		b := make([]byte, v.Len())
		for i := range b {
			b[i] = byte(v.Index(i).Uint())
		}
		return fmt.Sprintf("0x%x", b)
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = keyText(v.Index(i), depth)
	}
	return "[" + strings.Join(texts, " ") + "]"
}

func mapText(v reflect.Value, depth int) string {
	var texts []string
	for all := v.MapRange(); all.Next(); {
		texts = append(texts, keyText(copied(all.Key()), depth)+":"+keyText(copied(all.Value()), depth))
	}
	slices.Sort(texts)
	return "map[" + strings.Join(texts, " ") + "]"
}

var timeType = reflect.TypeFor[time.Time]()

// structText writes a struct, field by field; a time as the instant that it is, whatever its zone.
func structText(v reflect.Value, depth int) string {
	if v.Type().ConvertibleTo(timeType) {
		return v.Convert(timeType).Interface().(time.Time).UTC().Format(time.RFC3339Nano)
	}
	texts := make([]string, v.NumField())
	for i := range texts {
		field := v.Field(i)
		// Fields that are not exported are a part of the key as well. Reflection hands them out only by their address.
		texts[i] = keyText(reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem(), depth)
	}
	return "{" + strings.Join(texts, " ") + "}"
}
