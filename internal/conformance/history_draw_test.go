package conformance

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// historyKeys are the rows that a history is about: keys from 1. Some are not there at first, and
// the last one only ever comes by GetOrCreate or by hand.
const historyKeys = 6

// brim is the highest version of account.
const brim = math.MaxUint64

// historyDice draws the steps of one history. Each step has dice of its own, thrown on the rows as
// they are by then, so that a history is the same for both Stores even where they part: a writer
// whom one Store lets in, and the other does not.
type historyDice struct {
	*rand.Rand
	rows map[uint64]shop.Account
}

// historyBegin returns the rows that a history begins with, and its number of steps.
func historyBegin(seed uint64) (rows map[uint64]shop.Account, steps int) {
	d := &historyDice{Rand: rand.New(rand.NewPCG(seed, 0))}
	rows = map[uint64]shop.Account{}
	for k := uint64(1); k < historyKeys; k++ {
		row := shop.Account{ID: k, Owner: "first", Balance: d.Int64N(100), Version: 1 + d.Uint64N(4)}
		if d.one(40) {
			row.Version = brim - d.Uint64N(2)
		}
		if !d.one(5) {
			rows[k] = row
		}
	}
	return rows, 8 + d.IntN(13)
}

// historyStepOf draws the i-th step, from 1, on the rows as they are.
func historyStepOf(seed uint64, i int, rows map[uint64]shop.Account) *historyStep {
	d := &historyDice{rand.New(rand.NewPCG(seed, uint64(i))), rows}
	s := &historyStep{keys: []uint64{d.key()}, n: 1 + d.Int64N(50), once: d.one(6)}
	switch n := d.IntN(100); {
	case n < 6:
		s.call = callGet
	case n < 28:
		s.call, s.act = callUpdate, d.act()
	case n < 42:
		s.call, s.act, s.version = callUpdateIfVersion, d.act(), d.version(s.key())
	case n < 62:
		s.call = callUpdateAll
		d.all(s)
	case n < 70:
		s.call, s.version = callDelete, d.version(s.key())
	case n < 77:
		s.call = callGetOrCreate
		d.getOrCreate(s)
	case n < 90:
		s.call = callTx
		d.tx(s, seed)
	default:
		s.call = callByHand
		s.intruder = historyIntruder{d.write(s.key()), s.keys}
	}
	if s.call == callUpdate || s.call == callUpdateIfVersion || s.call == callUpdateAll {
		d.intrude(s, seed)
	}
	return s
}

// one is true once in n.
func (d *historyDice) one(n int) bool { return d.IntN(n) == 0 }

// key draws a key, mostly one that is there.
func (d *historyDice) key() uint64 {
	present := slices.Sorted(maps.Keys(d.rows))
	if len(present) == 0 || d.one(7) {
		return 1 + d.Uint64N(historyKeys)
	}
	return present[d.IntN(len(present))]
}

// version draws the version of a caller who has read the row, mostly the one that it is at.
func (d *historyDice) version(key uint64) uint64 {
	row, there := d.rows[key]
	if !there {
		return d.Uint64N(4)
	}
	switch d.IntN(8) {
	case 0, 1:
		return row.Version - 1 // 0 of a row at 1: never read
	case 2:
		return row.Version + 1 // of a row that has been entered anew since
	case 3:
		return 1
	}
	return row.Version
}

func (d *historyDice) act() historyAct {
	acts := []historyAct{
		actKeeps, actRefuses, actRefuses, actConflicts, actMisses, actDeadlocks,
		actChangesKey, actChangesVersion, actPanics,
	}
	if !d.one(3) {
		return actAdds
	}
	return acts[d.IntN(len(acts))]
}

// all draws an UpdateAll: keys in no order, some twice, some not there.
func (d *historyDice) all(s *historyStep) {
	s.keys = nil
	for range d.IntN(6) {
		s.keys = append(s.keys, d.key())
	}
	s.act = d.act()
	if d.one(8) {
		s.act = []historyAct{actRemoves, actReplaces, actInvents}[d.IntN(3)]
	}
	for _, k := range s.keys {
		// Of two faults at once, a version at the brim and a closure that breaks the rules, either
		// may be told.
		if d.rows[k].Version == brim && refusals[s.act] == nil && s.act != actPanics {
			s.act = actAdds
		}
	}
}

func (d *historyDice) getOrCreate(s *historyStep) {
	s.act = actAdds
	switch d.IntN(6) {
	case 0:
		s.act = actRefuses
	case 1:
		s.act = actPanics
	case 2:
		s.intruder = historyIntruder{"enters anew", s.keys}
	}
}

// write draws what somebody does by hand.
func (d *historyDice) write(key uint64) string {
	switch n := d.IntN(8); {
	case n == 0, d.rows[key].Version == brim:
		return "deletes"
	case n < 3:
		return "enters anew"
	}
	return "bumps"
}

// intrude has somebody come in between in every second history; the others are the same for both
// Stores to the last row.
func (d *historyDice) intrude(s *historyStep, seed uint64) {
	if len(s.keys) == 0 || historyIsQuiet(seed) || !d.one(3) {
		return
	}
	s.intruder = historyIntruder{"bumps", []uint64{s.keys[d.IntN(len(s.keys))]}}
	if k := s.keys[d.IntN(len(s.keys))]; d.one(2) && k != s.intruder.keys[0] {
		s.intruder.keys = append(s.intruder.keys, k)
		slices.Sort(s.intruder.keys)
	}
	s.intruder.does = d.write(s.intruder.keys[0])
	for _, k := range s.intruder.keys {
		// A row that is entered anew at the version that was read is, to a version check, the row
		// that was read; only snapshot isolation sees the difference.
		if v := d.rows[k].Version; v == 1 && s.intruder.does == "enters anew" || v == brim {
			s.intruder.does = "deletes"
		}
	}
}

// historyIsQuiet says that nobody comes in between.
func historyIsQuiet(seed uint64) bool { return seed%2 == 0 }

// tx draws the closure of an UpdateTx: mostly a row that is read and then used, sometimes one that
// the caller has from before.
func (d *historyDice) tx(s *historyStep, seed uint64) {
	s.outside = map[uint64]shop.Account{}
	uses := []string{
		opUpdate, opUpdate, opUpdate, opTouch, opTouch, opTouch, opCheck, opCheck, opDelete,
		opUpdateOld, opTouchOld, opCheckOld, opDeleteOld, opGet,
	}
	var got []uint64
	add := func(does string, key uint64) {
		s.script = append(s.script, historyOp{does, key, 1 + d.Int64N(9)})
	}
	for range 1 + d.IntN(3) {
		k := d.key()
		s.outside[k] = shop.Account{ID: k, Owner: "from before", Balance: d.Int64N(9), Version: d.version(k)}
		if !d.one(6) {
			add(opGet, k)
			got = append(got, k)
		}
		for range 1 + d.IntN(3) {
			if len(got) > 0 && d.one(7) && !historyIsQuiet(seed) {
				if b := got[d.IntN(len(got))]; d.rows[b].Version < brim-3 {
					add(opIntruder, b)
				}
			}
			add(uses[d.IntN(len(uses))], k)
		}
	}
	switch d.IntN(10) {
	case 0:
		s.act = actRefuses
	case 1:
		s.act = actPanics
	case 2:
		add(opNested, s.script[0].key)
	}
	s.keys = slices.Sorted(maps.Keys(s.outside))
}

// entered is the row that is entered by hand, or by GetOrCreate's closure.
func entered(key uint64, n int64) shop.Account {
	return shop.Account{ID: key, Owner: fmt.Sprintf("entered %d", n), Balance: n, Version: 1}
}
