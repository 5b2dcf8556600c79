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
		texts[i] = keyText(copied(reflect.ValueOf(key)), nil)
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

// maxDepth is how deep a key is looked into. No key of a table is as deep.
const maxDepth = 32

// place is a value that is being written: what is found in itself again is in a circle.
type place struct {
	typ reflect.Type
	at  uintptr
	n   int // of a slice: another part of one array is another place
}

// keyText writes a key or a part of one. It goes by what the value is made of and asks none of its methods: a
// String that leaves something out would make two keys one. v can be addressed, so that all of it can be read.
// above is what v is a part of.
func keyText(v reflect.Value, above []place) string {
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
	if len(above) > maxDepth {
		return placeText(v)
	}
	here := place{typ: v.Type()}
	switch v.Kind() {
	case reflect.Slice:
		here.n = v.Len()
		fallthrough
	case reflect.Pointer, reflect.Map:
		here.at = v.Pointer()
		// Where a circle closes is written as so many steps up, which is the same in all processes. To go round
		// until maxDepth would take for ever where several circles meet.
		if i := slices.Index(above, here); i >= 0 {
			return fmt.Sprintf("up %d", len(above)-i)
		}
	}
	return partsText(v, append(above, here))
}

// partsText writes a value that is made of others.
func partsText(v reflect.Value, above []place) string {
	switch v.Kind() {
	case reflect.Pointer:
		return pointerText(v, above)
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return typeText(v.Elem().Type()) + "(" + keyText(copied(v.Elem()), above) + ")"
	case reflect.Array, reflect.Slice:
		return listText(v, above)
	case reflect.Map:
		return mapText(v, above)
	case reflect.Struct:
		return structText(v, above)
	}
	return placeText(v)
}

// pointerText writes what a pointer points to. A pointer to what may be nil itself is marked, to be told from nil.
func pointerText(v reflect.Value, above []place) string {
	if v.IsNil() {
		return "nil"
	}
	mark := ""
	if kind := v.Type().Elem().Kind(); kind == reflect.Pointer || kind == reflect.Interface {
		mark = "&"
	}
	return mark + keyText(v.Elem(), above)
}

// typeText names a type with the whole path of its package: many packages have a UUID, and several are called uuid.
func typeText(t reflect.Type) string {
	switch {
	case t.PkgPath() != "":
		return t.PkgPath() + "." + t.Name()
	case t.Name() != "":
		return t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeText(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), typeText(t.Elem()))
	}
	return t.String()
}

// placeText writes a value of which no table can have a key: by where it is, so that no two are taken for one.
func placeText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Func:
		// Pointer is where the code is, which closures share. The word itself is another for each of them.
		word := reflect.NewAt(reflect.TypeFor[uintptr](), v.Addr().UnsafePointer()).Elem()
		return fmt.Sprintf("%s@%x", v.Type(), word.Uint())
	case reflect.Chan, reflect.UnsafePointer, reflect.Pointer, reflect.Map, reflect.Slice:
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

func listText(v reflect.Value, above []place) string {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		b := make([]byte, v.Len())
		for i := range b {
			b[i] = byte(v.Index(i).Uint())
		}
		return fmt.Sprintf("0x%x", b)
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = keyText(v.Index(i), above)
	}
	return "[" + strings.Join(texts, " ") + "]"
}

func mapText(v reflect.Value, above []place) string {
	var texts []string
	for all := v.MapRange(); all.Next(); {
		texts = append(texts, keyText(copied(all.Key()), above)+":"+keyText(copied(all.Value()), above))
	}
	slices.Sort(texts)
	return "map[" + strings.Join(texts, " ") + "]"
}

var timeType = reflect.TypeFor[time.Time]()

// structText writes a struct, field by field; a time as the instant that it is, whatever its zone.
func structText(v reflect.Value, above []place) string {
	if v.Type().ConvertibleTo(timeType) {
		return v.Convert(timeType).Interface().(time.Time).UTC().Format(time.RFC3339Nano)
	}
	texts := make([]string, v.NumField())
	for i := range texts {
		field := v.Field(i)
		// Fields that are not exported are a part of the key as well. Reflection hands them out only by their address.
		texts[i] = keyText(reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem(), above)
	}
	return "{" + strings.Join(texts, " ") + "}"
}
