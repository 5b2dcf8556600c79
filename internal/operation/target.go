package operation

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"regexp"
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
		texts[i] = keyText(reflect.ValueOf(key))
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

// keyText writes a key or a part of one. It goes by what the value is made of and asks none of its methods: a
// String that leaves something out would make two keys one.
func keyText(v reflect.Value) string {
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
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Pointer, reflect.Interface:
		return keyText(v.Elem())
	case reflect.Array:
		return arrayText(v)
	case reflect.Struct:
		return structText(v)
	}
	return v.Type().String() // no type that a key of a table can have
}

func arrayText(v reflect.Value) string {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		b := make([]byte, v.Len())
		for i := range b {
			b[i] = byte(v.Index(i).Uint())
		}
		return fmt.Sprintf("0x%x", b)
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = keyText(v.Index(i))
	}
	return "[" + strings.Join(texts, " ") + "]"
}

func structText(v reflect.Value) string {
	if v.CanInterface() {
		if t, ok := v.Interface().(time.Time); ok {
			return t.UTC().Format(time.RFC3339Nano)
		}
	}
	texts := make([]string, v.NumField())
	for i := range texts {
		texts[i] = keyText(v.Field(i))
	}
	return "{" + strings.Join(texts, " ") + "}"
}
