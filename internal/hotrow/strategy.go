package hotrow

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Strategy is one way to deduct 1 from the balance of a row that others want as well, and to refuse it where the
// balance is too low.
type Strategy struct {
	Name  string // as in Setup.Strategies
	Title string // a few words, for tables and charts
	About string // what it does, in a sentence
	Locks bool   // it holds the row's lock while it waits for round trips

	open   func(db *sql.DB) work
	ledger *ledger // where it enters each deduction, with the id of an operation; nil: nowhere
}

// work deducts 1 from an account. Where it returns nil it has done so exactly once; where it returns errGaveUp it
// certainly has not. It says how many tries it took, or 0 if it does not count them.
type work func(l limits, id uint64) (tries int64, err error)

// limits end a call that takes too long.
//
// They are two because the outcome of a statement that is cut off is unknown: a strategy by hand gives up between
// two statements, and waits for the answer to what it has sent.
type limits struct {
	patience context.Context // at its end, a call that has not been applied gives up; it ends with life
	life     context.Context // at its end, statements are cut off
}

// own returns the same limits for one caller alone, as each request of a server has a context of its own. Callers who all
// wait for the end of one context meet at its channel.
func (l limits) own() (own limits, done func()) {
	patience, endPatience := context.WithCancel(l.patience)
	life, endLife := context.WithCancel(l.life)
	return limits{patience: patience, life: life}, func() {
		endPatience()
		endLife()
	}
}

var (
	// errGaveUp says that a call's patience has ended before it was applied.
	errGaveUp = errors.New("gave up before it was applied")

	// errPoor refuses a deduction. The opening balances are too large for it to come.
	errPoor = errors.New("the balance is too low")
)

// registry holds all strategies, in the order in which they are shown.
var registry = []Strategy{
	{
		Name: "cas", Title: "CAS, retried at once",
		About: "SELECT, then UPDATE ... WHERE version = ?, by hand; again at once while somebody else was faster",
		open:  swapAtOnce,
	},
	{
		Name: "cas-jitter", Title: "CAS with jitter",
		About: "the same by optimistic.Update, which pauses in between by its default policy, full jitter up to 250 ms",
		open:  swapWithJitter,
	},
	{
		Name: "queue", Title: "CAS in a queue",
		About: "the same by optimistic.Update with WithKey, so that the callers of a process take turns",
		open:  swapInQueue,
	},
	{
		Name: "for-update", Title: "FOR UPDATE", Locks: true,
		About: "BEGIN, SELECT ... FOR UPDATE, UPDATE, COMMIT, by hand; again after a deadlock",
		open:  lockByHand,
	},
	{
		Name: "delta", Title: "guarded delta UPDATE",
		About: "one UPDATE ... SET balance = balance - 1 WHERE balance >= 1, by hand: no Go code decides",
		open:  deltaByHand,
	},
	{
		Name: "store", Title: "optimistic.Store",
		About: "optimistic.Store.Update, which writes many callers' changes with one commit",
		open:  optimisticStore,
	},
	{
		Name: "pessimistic", Title: "pessimistic.Store", Locks: true,
		About: "pessimistic.Store.Update, which locks the row for one caller at a time",
		open:  pessimisticStore,
	},
	{
		Name: "for-update-ledger", Title: "FOR UPDATE and INSERT", Locks: true,
		About: "for-update with an INSERT before its COMMIT: of an entry that has the id under a UNIQUE key",
		open:  lockAndEnter, ledger: idsInEntries,
	},
	{
		Name: "ledger", Title: "optimistic.JournalStore",
		About: "optimistic.JournalStore.Update WithOperationID, which writes many callers' changes, entries and ids at once",
		open:  journalStore, ledger: ownIDs,
	},
}

// Strategies returns those that update the row and nothing else, in the order in which they are shown.
func Strategies() []Strategy {
	return slices.DeleteFunc(slices.Clone(registry), func(s Strategy) bool { return s.ledger != nil })
}

// LedgerStrategies returns those that enter each update in a ledger as well, with the id of an operation that is
// applied once. They do more than Strategies do: set them beside each other.
func LedgerStrategies() []Strategy {
	return slices.DeleteFunc(slices.Clone(registry), func(s Strategy) bool { return s.ledger == nil })
}

// named returns the strategies of the given names.
func named(names []string) ([]Strategy, error) {
	var all []Strategy
	for i, name := range names {
		at := slices.IndexFunc(registry, func(s Strategy) bool { return s.Name == name })
		switch {
		case at < 0:
			var known []string
			for _, s := range registry {
				known = append(known, s.Name)
			}
			return nil, fmt.Errorf("there is no strategy %q: there are %s", name, strings.Join(known, ", "))
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("strategy %q is given twice: leave one out", name)
		}
		all = append(all, registry[at])
	}
	return all, nil
}
