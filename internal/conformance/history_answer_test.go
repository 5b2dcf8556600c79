package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// historyAnswer is all that a caller can tell of a step: what the Store gave, or what the model says
// that it must give.
type historyAnswer struct {
	class    string // "ok", the sentinels that the error is, or what became of the closure
	about    string // which row, and its versions
	actual   uint64 // of a conflict in a transaction; 0 where nobody has looked
	rows     string // what came back; of UpdateTx all that its last run has seen
	runs     int    // runs of the closure
	intruder string // "let in", "kept out", or both in turn
}

// agrees compares what a Store gave with what the model says. Whether a swap that loses in a
// transaction looks at who was faster is the Store's own business.
func (a historyAnswer) agrees(model historyAnswer) bool {
	if a.actual == 0 {
		model.actual = 0
	}
	return a == model
}

func (a historyAnswer) String() string {
	var b strings.Builder
	b.WriteString(a.class)
	if a.about != "" {
		b.WriteString(" (" + a.about)
		if a.actual > 0 {
			fmt.Fprintf(&b, ", actual %d", a.actual)
		}
		b.WriteString(")")
	}
	if a.rows != "" {
		b.WriteString(", " + a.rows)
	}
	fmt.Fprintf(&b, ", %d runs", a.runs)
	if a.intruder != "" {
		b.WriteString(", intruder " + a.intruder)
	}
	return b.String()
}

// Classes that are no errors of the library's.
const (
	classOK    = "ok"
	classOwn   = "the closure's own error"
	classPanic = "the closure's panic"
)

// sentinels are the causes that an error may have. Of each error all are asked, so that one which is
// two things by mistake shows.
var sentinels = []struct {
	name string
	err  error
}{
	{"ErrExhausted", sqlcas.ErrExhausted},
	{"ErrConflict", sqlcas.ErrConflict},
	{"ErrGone", sqlcas.ErrGone},
	{"ErrNoRows", sql.ErrNoRows},
	{"ErrLocked", sqlcas.ErrLocked},
	{"ErrOutcomeUnknown", sqlcas.ErrOutcomeUnknown},
	{"ErrTxAborted", sqlcas.ErrTxAborted},
	{"ErrTooManyRows", sqlcas.ErrTooManyRows},
	{"ErrVersionOverflow", sqlcas.ErrVersionOverflow},
	{"ErrNoVersion", sqlcas.ErrNoVersion},
	{"ErrNoRowCount", sqlcas.ErrNoRowCount},
	{"ErrNested", sqlcas.ErrNested},
	{"ErrInvalidArgument", sqlcas.ErrInvalidArgument},
	{"context.Canceled", context.Canceled},
	{"context.DeadlineExceeded", context.DeadlineExceeded},
}

// classify says what an error is. The closure's own must be the very value.
func classify(err, own error) string {
	switch {
	case err == nil:
		return classOK
	case own != nil && err == own:
		return classOwn
	}
	var names []string
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 {
		return "another error: " + err.Error()
	}
	return strings.Join(names, "+")
}

// about says which rows an error is about.
func about(err error) string {
	var losers sqlcas.ConflictErrors
	var gone *sqlcas.GoneError
	var conflict *sqlcas.ConflictError
	switch {
	case errors.As(err, &losers):
		var parts []string
		for _, c := range losers {
			parts = append(parts, aboutConflict(c.Key, c.Expected, c.Actual))
		}
		return strings.Join(parts, "; ")
	case errors.As(err, &gone):
		return aboutGone(gone.Key)
	case errors.As(err, &conflict):
		return aboutConflict(conflict.Key, conflict.Expected, conflict.Actual)
	}
	return ""
}

func aboutGone(key any) string { return fmt.Sprintf("account %v", key) }

func aboutConflict(key any, expected, actual uint64) string {
	return fmt.Sprintf("account %v: expected %d, actual %d", key, expected, actual)
}

// showRows shows rows in the order of their keys.
func showRows(rows map[uint64]shop.Account) string {
	shown := make([]string, 0, len(rows))
	for k, row := range rows {
		shown = append(shown, fmt.Sprintf("%d: %s", k, showRow(row)))
	}
	slices.Sort(shown)
	return strings.Join(shown, " ")
}
