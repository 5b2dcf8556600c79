package operation_test

import (
	"database/sql"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	randv2 "math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/operation"
)

type (
	code  string
	flags [2]byte
	bits  byte
	seat  struct {
		Hall string
		No   int16
		hid  bool
	}
)

// String must not be asked: it leaves out what tells two seats apart.
func (s seat) String() string { return s.Hall }

// Ensures that people can read what an operation changes, for every type that keys have.
func TestTargetIsReadable(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 5000, time.FixedZone("east", 3600))
	for want, got := range map[string]string{
		"account 7":                           operation.Target("account", "", 7),
		"delete account 7":                    operation.Target("account", "delete", uint64(7)),
		"account -7":                          operation.Target("account", "", int8(-7)),
		`account ("a" "b")`:                   operation.Target("account", "", "a", "b"),
		`account "a b"`:                       operation.Target("account", "", code("a b")),
		`account "\"é\x00"`:                   operation.Target("account", "", "\"é\x00"),
		`account "\xff"`:                      operation.Target("account", "", "\xff"),
		"account 0x00ff":                      operation.Target("account", "", flags{0, 255}),
		"account 0x07":                        operation.Target("account", "", [1]bits{7}),
		"account [1 2]":                       operation.Target("account", "", [2]int{1, 2}),
		`account {"A" 3 true}`:                operation.Target("account", "", seat{"A", 3, true}),
		"account 2026-03-01T11:00:00.000005Z": operation.Target("account", "", noon),
		`account {"a" true}`:                  operation.Target("account", "", sql.NullString{String: "a", Valid: true}),
		"account true":                        operation.Target("account", "", any(true)),
		"account 0.1":                         operation.Target("account", "", 0.1),
		"account nil":                         operation.Target("account", "", nil),
		"shop.Konto 1":                        operation.Target("shop.Konto", "", 1),
		`"my table" 1`:                        operation.Target("my table", "", 1),
		`"7" 1`:                               operation.Target("7", "", 1),
	} {
		require.Equal(t, want, got)
	}
	require.Equal(t, operation.Target("a", "", noon), operation.Target("a", "", noon.UTC()), "one instant")
}

// Ensures that no two targets have one text: what is in a key cannot pass for what is around it.
func TestTargetsAreUnambiguous(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, text := range map[string]string{
		"two keys":          operation.Target("t", "", "a", "b"),
		"one key":           operation.Target("t", "", "a b"),
		"a quote in it":     operation.Target("t", "", `a" "b`),
		"brackets in it":    operation.Target("t", "", `("a" "b")`),
		"a struct":          operation.Target("t", "", seat{"a", 1, false}),
		"another":           operation.Target("t", "", seat{"a", 2, false}),
		"hidden difference": operation.Target("t", "", seat{"a", 1, true}),
		"number":            operation.Target("t", "", 1),
		"text of it":        operation.Target("t", "", "1"),
		"delete":            operation.Target("t", "delete", 1),
		"a table's name":    operation.Target("delete t", "", 1),
		"deletion in it":    operation.Target("delete", "", "t"),
		"invalid text":      operation.Target("t", "", "\xff"),
		"replacement":       operation.Target("t", "", "\ufffd"),
		"long":              operation.Target("t", "", strings.Repeat("x", 400)),
		"long, another end": operation.Target("t", "", strings.Repeat("x", 400)+"y"),
		"long, other key":   operation.Target("t", "", strings.Repeat("x", 400), 1),
	} {
		require.Empty(t, seen[text], "%s is %s", name, text)
		seen[text] = name
	}
}

// Ensures that a target fits into its column, whole if it can, and is cut between characters else.
func TestLongTargetsAreCut(t *testing.T) {
	t.Parallel()
	for n := range 300 {
		plain := operation.Target("t", "", strings.Repeat("x", n))
		require.LessOrEqual(t, len(plain), 255)
		require.Equal(t, n+4 <= 255, plain == fmt.Sprintf("t %q", strings.Repeat("x", n)), n)
		wide := operation.Target("t", "", strings.Repeat("é", n))
		require.LessOrEqual(t, len(wide), 255)
		require.Equal(t, strings.ToValidUTF8(wide, "?"), wide)
	}
	cut := operation.Target("t", "", strings.Repeat("x", 300))
	require.Regexp(t, `^t "x{177} sha256:[0-9a-f]{64}$`, cut)
}

// bigNumber is a number as libraries make them: comparable, as a pointer is, and with all that tells it from
// others behind it.
type bigNumber struct {
	neg bool
	abs []uint
}

// Ensures that what lies behind pointers, in slices, maps and interfaces tells keys apart, and equal keys have one text.
func TestTargetLooksIntoKeys(t *testing.T) {
	t.Parallel()
	type number struct{ value *bigNumber }
	type anything struct{ v any }
	type table struct{ m *map[string]int }
	one, two := make(chan int), make(chan int)
	for _, keys := range [][2]any{
		{number{&bigNumber{false, []uint{1}}}, number{&bigNumber{false, []uint{2}}}},
		{number{&bigNumber{false, []uint{1}}}, number{nil}},
		{anything{int8(1)}, anything{int16(1)}},
		{anything{nil}, anything{"nil"}},
		{table{&map[string]int{"a": 1, "b": 2}}, table{&map[string]int{"a": 2, "b": 1}}},
		{one, two},
	} {
		got := operation.Target("t", "", keys[0])
		require.NotEqual(t, got, operation.Target("t", "", keys[1]), "%v and %v", keys[0], keys[1])
	}
	for _, keys := range [][2]any{
		{number{&bigNumber{true, []uint{1, 2}}}, number{&bigNumber{true, []uint{1, 2}}}},
		{table{&map[string]int{"a": 1, "b": 2}}, table{&map[string]int{"b": 2, "a": 1}}},
		{math.Copysign(0, -1), 0.0},
		{struct{ f float32 }{float32(math.Copysign(0, -1))}, struct{ f float32 }{0}},
		{complex(math.Copysign(0, -1), math.Copysign(0, -1)), complex(0, 0)},
	} {
		require.Equal(t, operation.Target("t", "", keys[0]), operation.Target("t", "", keys[1]))
	}
}

// Ensures that keys which look alike are told apart still: nil and what leads to nil, types of one name, closures.
func TestTargetsOfLookalikes(t *testing.T) {
	t.Parallel()
	type indirect struct{ p **int }
	type boxed struct{ p *any }
	type anything struct{ v any }
	type closure struct{ f func() int }
	for _, keys := range [][2]any{
		{indirect{nil}, indirect{new(*int)}},
		{boxed{nil}, boxed{new(any)}},
		{anything{rand.Zipf{}}, anything{randv2.Zipf{}}},
		{anything{&rand.Zipf{}}, anything{&randv2.Zipf{}}},
		{anything{[1]rand.Zipf{}}, anything{[1]randv2.Zipf{}}},
		{&closure{constant(1)}, &closure{constant(2)}},
		{bigKey(1), bigKey(2)},
	} {
		got := operation.Target("t", "", keys[0])
		require.NotEqual(t, got, operation.Target("t", "", keys[1]), "%v and %v", keys[0], keys[1])
	}
	require.Equal(t, operation.Target("t", "", bigKey(3)), operation.Target("t", "", bigKey(3)))
	seven := 7
	require.Equal(t, "t {7}", operation.Target("t", "", struct{ p *int }{&seven}))
}

// constant makes closures of one code.
//
//go:noinline
func constant(n int) func() int { return func() int { return n } }

// bigKey is a key with a number as math/big makes them.
func bigKey(n int64) any { return struct{ v *big.Int }{big.NewInt(n)} }

type node struct {
	name  string
	links []*node
}

// Ensures that circles end at once, however many meet in a key, that their text depends on no address, and that
// what is very deep ends as well.
func TestTargetOfCircles(t *testing.T) {
	t.Parallel()
	knot := func(name string) *node {
		n := &node{name: name}
		for range 100 {
			n.links = append(n.links, n)
		}
		return n
	}
	require.Equal(t, operation.Target("t", "", knot("a")), operation.Target("t", "", knot("a")))
	require.NotEqual(t, operation.Target("t", "", knot("a")), operation.Target("t", "", knot("b")))
	one := &node{name: "a"}
	one.links = []*node{one}
	require.Equal(t, `t {"a" [up 3]}`, operation.Target("t", "", one))
	type nest []any
	list := nest{nil}
	list[0] = list
	require.NotEmpty(t, operation.Target("t", "", &list), "ends")
	type tree map[string]any
	leaf := tree{}
	leaf["a"], leaf["b"], leaf["c"] = leaf, leaf, leaf
	require.NotEmpty(t, operation.Target("t", "", &leaf), "ends")
	diamonds := func(n int) *node {
		var d *node
		for range n {
			d = &node{links: []*node{d, d}}
		}
		return d
	}
	require.Equal(t, operation.Target("t", "", diamonds(9)), operation.Target("t", "", diamonds(9)))
	require.NotEmpty(t, operation.Target("t", "", diamonds(50)), "ends")
}

// Ensures that an instant is one target, in whichever zone, by whichever clock and in whichever field it comes.
func TestTargetOfAnInstant(t *testing.T) {
	t.Parallel()
	type day time.Time
	type key struct {
		id int
		at time.Time
	}
	now := time.Now() // with a reading of the monotonic clock
	want := operation.Target("t", "", key{7, now})
	require.Equal(t, "t {7 "+now.UTC().Format(time.RFC3339Nano)+"}", want)
	for _, same := range []time.Time{now.Round(0), now.UTC(), now.In(time.FixedZone("", 3600))} {
		require.Equal(t, want, operation.Target("t", "", key{7, same}))
		require.Equal(t, operation.Target("t", "", now), operation.Target("t", "", day(same)))
	}
	require.NotEqual(t, want, operation.Target("t", "", key{7, now.Add(1)}))
}
