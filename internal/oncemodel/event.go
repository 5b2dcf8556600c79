package oncemodel

import (
	"fmt"
	"strings"
)

// event is what happens in a move.
type event uint8

const (
	readsRow event = iota
	locksRow
	findsSomeNew
	findsAll
	swapsRow
	findsConflict
	insertsID
	findsDuplicate
	insertsApart
	sendsCommit
	hearsCommitted
	rollsBack
	runsAgain

	connectionCut
	processCrash
	serverCrash
	cannotAsk
	cannotKill

	killsOpen
	killsCommitting
	killsNobody
	killsEarly
	looksUnasked
	findsOwn
	findsOthers
	findsAbsent
	lookUpRunsOut

	commitArrives
	commitDropped
	serverCommits
	serverNotices
	serverUndoesClosed
	serverUndoesKilled
	waitRunsOut
	deadlock
	events
)

// sentences say what happens, with P for the process and ID for the id.
var sentences = [events]string{
	readsRow:       "P reads the row",
	locksRow:       "P reads the row FOR UPDATE",
	findsSomeNew:   "P reads the ids: some are new",
	findsAll:       "P reads the ids: none is new, and it answers",
	swapsRow:       "P swaps the row",
	findsConflict:  "P swaps the row: no row has the version",
	insertsID:      "P inserts id ID",
	findsDuplicate: "P inserts id ID: duplicate entry",
	insertsApart:   "P inserts its ids in a transaction of their own",
	sendsCommit:    "P sends COMMIT",
	hearsCommitted: "P hears that it is committed",
	rollsBack:      "P rolls back",
	runsAgain:      "the caller of P, who was told \"unknown\", runs the ids again",

	connectionCut: "the connection of P is cut, and the server does not notice",
	processCrash:  "P is killed, and started again",
	serverCrash:   "the server is killed, and started again",
	cannotAsk:     "P cannot reach the server to ask",
	cannotKill:    "P cannot reach the server to end its old session",

	killsOpen:       "P kills its old session, whose transaction is open",
	killsCommitting: "P kills its old session, which is in its COMMIT",
	killsNobody:     "P kills its old session, which is gone",
	killsEarly:      "P kills its old session, which was never sent a COMMIT",
	looksUnasked:    "P lets its old session live",
	findsOwn:        "P looks the ids up: they are there, and its own",
	findsOthers:     "P looks the ids up: they are there, but not its own",
	findsAbsent:     "P looks the ids up: not all are there",
	lookUpRunsOut:   "P looks the ids up, and waits in vain for a session that nobody ends",

	commitArrives:      "the COMMIT of P reaches the server",
	commitDropped:      "the COMMIT of P is lost on its way",
	serverCommits:      "the server commits the transaction of P",
	serverNotices:      "the server notices that a connection of P is cut, and rolls back",
	serverUndoesClosed: "the server sees that a connection of P is closed, and rolls back",
	serverUndoesKilled: "the server rolls back the session that P killed",
	waitRunsOut:        "P waits in vain for a lock, and rolls back",
	deadlock:           "the server finds a deadlock, and rolls P back",
}

func name(p int) string { return fmt.Sprintf("P%d", p+1) }

// String is the id's letter.
func (id ID) String() string { return "SAB"[id : id+1] }

// step is what happens in a move, and to whom.
type step struct {
	event  event
	who    uint8
	id     ID
	gaveUp bool // and its caller has had enough
}

// String says what happens in the step.
func (s step) String() string {
	words := strings.Fields(sentences[s.event])
	for i, word := range words {
		switch word {
		case "P", "P,", "P:":
			words[i] = name(int(s.who)) + word[1:]
		case "ID", "ID:":
			words[i] = s.id.String() + word[2:]
		}
	}
	said := strings.Join(words, " ")
	if s.gaveUp {
		said += `, and gives up: "not applied"`
	}
	return said
}
