package conformance

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that the contracts of the harnesses and of every Store hold on every server in every mode:
// interpolateParams, clientFoundRows and the isolation level (case 1, and all others that a check of a
// suite names). A server that
// knows snapshot isolation and has it off, as MariaDB 10.11, runs once more with it on, which is the
// default of later versions ("snapshot" in the table).
func TestContractHoldsInEveryMode(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		row := s.Name
		runCells(t, s, row, false)
		if _, value := variable(t, s, snapshotVariable); value == "OFF" {
			runCells(t, s, row+" snapshot", true)
		}
	})
}

func runCells(t *testing.T, s *mysqltest.Server, row string, snapshot bool) {
	t.Helper()
	for _, m := range modes() {
		name := m.String()
		if snapshot {
			name += "-snapshot"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, s, m, snapshot)
			runContract(t, e, cellID{harness, row, m.String()}, checks)
			e = e.stocked(t)
			for _, st := range strategies {
				runContract(t, e, cellID{st.name, row, m.String()}, st.clauses())
			}
		})
	}
}

// harness is the name of the harnesses' contract. Those of the Stores are called as these are.
const harness = "harness"

func runContract(t *testing.T, e *env, id cellID, contract []check) {
	t.Helper()
	result.set(id, cell{}) // so that one that ends early shows
	t.Run(id.contract, func(t *testing.T) {
		held, all := suite(t, e, contract)
		result.set(id, cell{held, all})
	})
}

// grid is what the cells have come to.
type grid struct {
	mu    sync.Mutex
	cells map[cellID]cell
}

// cellID names a cell of a contract's table.
type cellID struct{ contract, row, column string }

type cell struct{ held, all int }

// result is this process's grid; TestMain prints it.
var result = &grid{cells: map[cellID]cell{}}

func (g *grid) set(id cellID, c cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cells[id] = c
}

// print writes a table per contract, with one row per server and one column per mode, and nothing when
// no cell ran.
func (g *grid) print(w io.Writer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.cells) == 0 {
		return
	}
	fmt.Fprintln(w, "\nconformance: checks that held / checks, per contract, server and mode")
	fmt.Fprintln(w, "rr, rc: isolation level; text, prep: interpolateParams on, off; "+
		"found, chgd: clientFoundRows on, off")
	rows := map[string]map[string]bool{} // by contract
	passed := 0
	for id, c := range g.cells {
		if rows[id.contract] == nil {
			rows[id.contract] = map[string]bool{}
		}
		rows[id.contract][id.row] = true
		if c.passed() {
			passed++
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, contract := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprint(table, contract)
		for _, m := range modes() {
			fmt.Fprintf(table, "\t%s", m)
		}
		for _, row := range slices.Sorted(maps.Keys(rows[contract])) {
			fmt.Fprintf(table, "\n%s", row)
			for _, m := range modes() {
				c, ran := g.cells[cellID{contract, row, m.String()}]
				fmt.Fprintf(table, "\t%s", c.text(ran))
			}
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush()
	fmt.Fprintf(w, "%d of %d cells passed\n", passed, len(g.cells))
}

func (c cell) passed() bool { return c.all > 0 && c.held == c.all }

func (c cell) text(ran bool) string {
	switch {
	case !ran:
		return "not run"
	case c.passed():
		return fmt.Sprintf("%d/%d", c.held, c.all)
	}
	return fmt.Sprintf("FAIL %d/%d", c.held, c.all)
}
