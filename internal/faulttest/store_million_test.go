package faulttest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
)

const (
	// millionEnv has TestStoreForgetsAMillionRows run, if it is anything. It takes minutes, and should run alone, as
	// the heap is everybody's.
	millionEnv = "SQLCAS_TEST_MILLION"
	million    = 1_000_000
	// warmth is how many rows are changed before the heap is looked at: connections and statements take memory.
	warmth = 20_000
)

// alone has servers take turns.
var alone sync.Mutex

// heap is how much memory is in use, once what is not has been collected.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// addAccounts makes accounts from one number up to another, without that.
func (r *rig) addAccounts(t *testing.T, from, to int) {
	t.Helper()
	const atOnce = 10_000
	var row strings.Builder
	for ; from < to; from += atOnce {
		row.Reset()
		row.WriteString("INSERT INTO account (id, owner, balance, version) VALUES ")
		for id := from; id < min(from+atOnce, to); id++ {
			if id > from {
				row.WriteByte(',')
			}
			fmt.Fprintf(&row, "(%d,'owner',%d,%d)", id, opening, firstVersion)
		}
		r.exec(t, row.String())
	}
}

// Ensures that a million rows of a server which were changed once leave no memory behind: the heap is back within
// a twentieth of what it was.
func TestStoreForgetsAMillionRows(t *testing.T) {
	t.Parallel()
	if os.Getenv(millionEnv) == "" {
		t.Skipf("it takes minutes: run it alone with %s=1", millionEnv)
	}
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		alone.Lock()
		defer alone.Unlock()
		r := newRig(t, s, 1)
		r.addAccounts(t, 2, million+warmth+1)
		db := open(t, dial(t, r.cfg))
		db.SetMaxIdleConns(places)
		st := optimistic.NewStore(db, shop.AccountTable)
		touch := func(from, to uint64) {
			var all sync.WaitGroup
			for c := range uint64(places) {
				all.Go(func() {
					for id := from + c; id < to; id += places {
						if _, err := st.Update(t.Context(), id, credit); err != nil {
							t.Errorf("account %d: %v", id, err)
							return
						}
					}
				})
			}
			all.Wait()
		}
		touch(1, warmth+1)
		before, start := heap(), time.Now()
		touch(warmth+1, million+warmth+1)
		took, after := time.Since(start), heap()
		require.Equal(t, (opening+1)*(million+warmth), r.number(t, "SELECT SUM(balance) FROM account"))
		show("%d rows changed once in %v, %v: heap %d KB before, %d KB after\n",
			million, took.Round(time.Second), s, before>>10, after>>10)
		require.LessOrEqual(t, after, before+before/20, "heap afterwards, in bytes; before: %d", before)
		runtime.KeepAlive(st)
	})
}
