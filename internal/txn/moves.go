package txn

import (
	"database/sql"
	"runtime"
	"sync"
	"weak"
)

// Moves remembers which rows a transaction has swapped, so that a row is not counted twice and a
// transaction that conflicts with itself is told so, instead of being rerun in vain.
type Moves struct {
	mu    sync.Mutex
	moves map[RowID]Move
}

// RowID names a row of a table; Key is of the table's own type.
type RowID struct {
	Table string
	Key   any
}

// Move is what became of a row's version in the transaction. The row of a deleted one is gone.
type Move struct {
	From, To uint64
	Deleted  bool
}

// allMoves is by weak keys: an entry goes with its transaction.
var allMoves sync.Map // weak.Pointer[sql.Tx] -> *Moves

// MovesOf returns the moves of a transaction, the same for whoever asks.
func MovesOf(tx *sql.Tx) *Moves {
	key := weak.Make(tx)
	if m, ok := allMoves.Load(key); ok {
		return m.(*Moves)
	}
	m, loaded := allMoves.LoadOrStore(key, &Moves{moves: map[RowID]Move{}})
	if !loaded {
		runtime.AddCleanup(tx, func(k weak.Pointer[sql.Tx]) { allMoves.Delete(k) }, key)
	}
	return m.(*Moves)
}

// Of returns what became of the row, if the transaction has moved it.
func (m *Moves) Of(id RowID) (Move, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	move, ok := m.moves[id]
	return move, ok
}

// NoteDeleted notes that a row was deleted at a version.
func (m *Moves) NoteDeleted(id RowID, version uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	from := version
	if before, ok := m.moves[id]; ok && before.To == version {
		from = before.From
	}
	m.moves[id] = Move{From: from, To: version, Deleted: true}
}

// Note notes a move. Moves of one row that follow each other become one.
func (m *Moves) Note(id RowID, from, to uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before, ok := m.moves[id]; ok && before.To == from {
		from = before.From
	}
	m.moves[id] = Move{From: from, To: to}
}
