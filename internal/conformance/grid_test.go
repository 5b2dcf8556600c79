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

// Ensures that the contract holds on every server in every mode: interpolateParams, clientFoundRows
// and the isolation level (case 1, and all others that a check of the suite names). A server that
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
			column := m.String()
			result.enter(row, column)
			held, all := suite(t, newEnv(t, s, m, snapshot), checks)
			result.set(row, column, held, all)
		})
	}
}

// grid is what the cells have come to.
type grid struct {
	mu    sync.Mutex
	cells map[string]map[string]cell // by row, then by column
}

type cell struct{ held, all int }

// result is this process's grid; TestMain prints it.
var result = &grid{cells: map[string]map[string]cell{}}

// enter notes that a cell was started, so that one that ends early shows.
func (g *grid) enter(row, column string) { g.set(row, column, 0, 0) }

func (g *grid) set(row, column string, held, all int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cells[row] == nil {
		g.cells[row] = map[string]cell{}
	}
	g.cells[row][column] = cell{held, all}
}

// print writes one row per server and one column per mode, and nothing when no cell ran.
func (g *grid) print(w io.Writer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.cells) == 0 {
		return
	}
	rows := slices.Sorted(maps.Keys(g.cells))
	fmt.Fprintln(w, "\nconformance: checks that held / checks, per server and mode")
	fmt.Fprintln(w, "rr, rc: isolation level; text, prep: interpolateParams on, off; "+
		"found, chgd: clientFoundRows on, off")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "server")
	for _, m := range modes() {
		fmt.Fprintf(table, "\t%s", m)
	}
	passed, started := 0, 0
	for _, row := range rows {
		fmt.Fprintf(table, "\n%s", row)
		for _, m := range modes() {
			c, ran := g.cells[row][m.String()]
			fmt.Fprintf(table, "\t%s", c.text(ran))
			if ran {
				started++
			}
			if c.passed() {
				passed++
			}
		}
	}
	fmt.Fprintln(table)
	_ = table.Flush()
	fmt.Fprintf(w, "%d of %d cells passed\n", passed, started)
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
