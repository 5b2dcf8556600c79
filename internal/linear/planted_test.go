package linear

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// tries is how many histories of a broken Store are played at most until one shows the bug.
const tries = 10

// Ensures that the silence of the test above means something: a Store that is broken on purpose, in any of the
// ways in which a Store may break, is found by the order of the calls alone, on a server without faults.
func TestBrokenStoresAreFound(t *testing.T) {
	t.Parallel()
	first := firstSeed(t)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, b := range bugs() {
			t.Run(b.name, func(t *testing.T) {
				r := newRig(t, s)
				dbs := r.pools(t, r.cfg.Addr)
				p := &players{dbs: dbs, foreign: r.open(t, r.cfg, foreigners), background: &sync.WaitGroup{}}
				for i, db := range dbs {
					p.stores[i] = b.make(db, p.background)
				}
				for seed := first; seed < first+tries; seed++ {
					h := r.play(t, p, seed)
					if result, took := h.check(); result == porcupine.Illegal {
						mysqltest.Tables(func(w io.Writer) {
							fmt.Fprintf(w, "broken, %v: %s: found by history %d of %d, in %v\n",
								s, b.name, seed-first+1, tries, took.Round(time.Millisecond))
						})
						return
					}
				}
				t.Errorf("%d histories, from seed %d on, have an order each: nothing shows that %s", tries, first, b.name)
			})
		}
	})
}

// Ensures that it is the bugs that are found there: without them the same callers' histories have an order.
func TestSoundStoresAreNotFound(t *testing.T) {
	t.Parallel()
	first := firstSeed(t)
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, k := range kinds() {
			t.Run(k.name, func(t *testing.T) {
				r := newRig(t, s)
				dbs := r.pools(t, r.cfg.Addr)
				p := &players{
					dbs: dbs, stores: [2]store{k.make(dbs[0]), k.make(dbs[1])},
					foreign: r.open(t, r.cfg, foreigners), background: &sync.WaitGroup{},
				}
				judge(t, r.play(t, p, first), newTally())
				r.unchanged(t)
			})
		}
	})
}
