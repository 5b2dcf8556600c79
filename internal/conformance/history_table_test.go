package conformance

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// historyTable counts what the histories of a run were made of, per server and Store, so that a
// generator that has come to make only easy ones shows.
type historyTable struct {
	mu   sync.Mutex
	sums map[string]*historySum // by server and Store
}

var histories = &historyTable{sums: map[string]*historySum{}}

type historySum struct {
	mu        sync.Mutex
	histories int
	steps     int
	reruns    int            // closures that ran again
	intruders map[string]int // by what became of them
	classes   map[string]int // answers
}

func (h *historyTable) of(s *mysqltest.Server, store string) *historySum {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := s.Name + "\t" + store
	if h.sums[name] == nil {
		h.sums[name] = &historySum{intruders: map[string]int{}, classes: map[string]int{}}
	}
	return h.sums[name]
}

func (h *historySum) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.histories++
}

func (h *historySum) add(s *historyStep, a historyAnswer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps++
	if a.runs > 1 {
		h.reruns++
	}
	if s.call != callByHand {
		h.classes[a.class]++
		for _, came := range []string{letIn, keptOut} {
			h.intruders[came] += strings.Count(a.intruder, came)
		}
	}
}

// print writes one row per server and Store.
func (h *historyTable) print(w io.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sums) == 0 {
		return
	}
	fmt.Fprintln(w, "\nconformance: random histories, each answer and the final rows compared with a model's")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "server\tStore\thistories\tsteps\tclosures rerun\tintruders let in\tkept out\tanswers")
	for _, name := range slices.Sorted(maps.Keys(h.sums)) {
		s := h.sums[name]
		s.mu.Lock()
		fmt.Fprintf(table, "\n%s\t%d\t%d\t%d\t%d\t%d\t%s", name,
			s.histories, s.steps, s.reruns, s.intruders[letIn], s.intruders[keptOut], s.answers())
		s.mu.Unlock()
	}
	fmt.Fprintln(table)
	_ = table.Flush()
}

// answers tells how often there was which, the most frequent first.
func (h *historySum) answers() string {
	names := slices.SortedFunc(maps.Keys(h.classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(h.classes[b], h.classes[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s %d", name, h.classes[name])
	}
	return strings.Join(parts, ", ")
}

// printStoreRuns writes the tables of all that was done on Stores at random.
func printStoreRuns(w io.Writer) {
	histories.print(w)
	crossings.print(w)
}
