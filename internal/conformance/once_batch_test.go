package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// hosting is a onceStore as party wants one.
type hosting struct {
	store[uint64, shop.Account] // nil: party has rows updated, and nothing else
	onceStore
}

func (h hosting) Update(
	ctx context.Context, key uint64, change func(*shop.Account) error, opts ...sqlcas.Option,
) (shop.Account, error) {
	return h.onceStore.Update(ctx, key, change, opts...)
}

func (h hosting) UpdateIfVersion(
	ctx context.Context, key, version uint64, change func(*shop.Account) error, opts ...sqlcas.Option,
) (shop.Account, error) {
	return h.onceStore.UpdateIfVersion(ctx, key, version, change, opts...)
}

func (h hosting) UpdateAll(
	ctx context.Context, keys []uint64, change func(map[uint64]*shop.Account) error, opts ...sqlcas.Option,
) (map[uint64]shop.Account, error) {
	return h.onceStore.UpdateAll(ctx, keys, change, opts...)
}

// payer is a call that meets others in a batch, and what it came to.
type payer struct {
	op, request string // no operation id if empty
	change      func(*shop.Account) error

	called
	row shop.Account
	err error
}

// call makes the call.
func (g *payer) call(ctx context.Context, st onceStore, id uint64) {
	opts := []sqlcas.Option{sqlcas.WithReport(&g.Report)}
	if g.op != "" {
		opts = g.with(g.op, g.request)
	}
	g.row, g.err = st.Update(ctx, id, g.change, opts...)
}

// meetAt has guests meet on an account, in their order, behind one call that adds 1 and has no id.
func meetAt(t *testing.T, e *env, st onceStore, id uint64, guests ...*payer) {
	t.Helper()
	var calls []func(context.Context)
	for _, g := range guests {
		calls = append(calls, func(ctx context.Context) { g.call(ctx, st, id) })
	}
	require.NoError(t, party(t, e, hosting{onceStore: st}, id, calls...))
}

// operationInserts are the INSERTs of operations among what was sent.
func (l *statementLog) operationInserts() (inserts []sentStatement) {
	for _, s := range l.of("INSERT") {
		if strings.HasPrefix(s.text, "INSERT INTO sqlcas_operation") {
			inserts = append(inserts, s)
		}
	}
	return inserts
}

// Ensures that of callers who meet with one id one is applied, and the others replay what that has made of the row; and
// that the batch is written at once.
func checkBatchSameID(t *testing.T, e *env, w onceWay) {
	e, log := e.logged(t)
	st, id, op := w.open(e.db), e.account(t), idOf(t, "pay")
	pay := func() *payer { return &payer{op: op, request: "5", change: plus(5)} }
	guests := []*payer{pay(), {change: plus(10)}, pay(), pay()}
	meetAt(t, e, st, id, guests...)
	for i, g := range guests {
		require.NoError(t, g.err, "guest %d", i)
		require.Equal(t, i > 1, g.Replayed, "guest %d", i)
	}
	for i, version := range []uint64{3, 4, 4, 4} {
		require.Equal(t, version, guests[i].row.Version, "guest %d", i)
	}
	require.Equal(t, e.row(t, id), guests[3].row)
	w.agrees(t, e, id, opening+16, 4)
	require.Len(t, log.of("UPDATE"), 2)
	require.Len(t, log.operationInserts(), 1)
}

// Ensures that of callers who meet with one id for two requests the first is applied, and the other told.
func checkBatchMismatch(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), idOf(t, "pay")
	guests := []*payer{
		{op: op, request: "5", change: plus(5)},
		{op: op, request: "6", change: unrunRow(t)},
		{op: op, request: "5", change: unrunRow(t)},
		{op: idOf(t, "other"), request: "6", change: plus(6)},
	}
	meetAt(t, e, st, id, guests...)
	target := fmt.Sprintf("account %d", id)
	differs(t, guests[1].err, sqlcas.OperationMismatchError{
		ID: op, Target: target, StoredTarget: target, Differs: "fingerprint",
	})
	require.NoError(t, errors.Join(guests[0].err, guests[2].err, guests[3].err))
	require.Equal(t, []bool{false, true, false}, []bool{guests[0].Replayed, guests[2].Replayed, guests[3].Replayed})
	w.agrees(t, e, id, opening+12, 4)
}

// Ensures that those whose ids were applied before are replayed or told of their mismatch among others who have new ids,
// or none, that no closure of theirs is run, and that the new ids are entered by one INSERT in the order of their bytes.
func checkBatchOld(t *testing.T, e *env, w onceWay) {
	e, log := e.logged(t)
	st, id := w.open(e.db), e.account(t)
	old := func(request string) *payer { return &payer{op: idOf(t, "old"), request: request, change: unrunRow(t)} }
	_, err := st.Update(t.Context(), id, plus(100), (&called{}).with(idOf(t, "old"), "100")...)
	require.NoError(t, err)
	sent := len(log.operationInserts())
	guests := []*payer{
		old("100"),
		{op: idOf(t, "c"), change: plus(2)},
		{change: plus(4)},
		old("100"),
		{op: idOf(t, "a"), change: plus(8)},
		old("7"),
		{op: idOf(t, "B"), change: plus(16)},
		{change: plus(32)},
	}
	meetAt(t, e, st, id, guests...)
	for i, g := range guests {
		if i == 5 {
			require.ErrorIs(t, g.err, sqlcas.ErrOperationMismatch)
			continue
		}
		require.NoError(t, g.err, "guest %d", i)
		require.Equal(t, i == 0 || i == 3, g.Replayed, "guest %d", i)
		if g.Replayed {
			require.GreaterOrEqual(t, g.row.Version, uint64(3), "guest %d: the row as it is", i)
		} else {
			require.Equal(t, 5, g.Batch, "guest %d", i)
		}
	}
	w.agrees(t, e, id, opening+100+1+62, 8)
	inserts := log.operationInserts()[sent:]
	require.Len(t, inserts, 1)
	var ids []string
	for i := 0; i < len(inserts[0].args); i += 4 {
		ids = append(ids, string(inserts[0].args[i].([]byte)))
	}
	require.Equal(t, []string{idOf(t, "B"), idOf(t, "a"), idOf(t, "c")}, ids)
}

// late has a guest come while the turns of a batch go round, in the closure of another.
func late(
	t *testing.T, st onceStore, id uint64, all *sync.WaitGroup, change func(*shop.Account) error, g *payer,
) func(*shop.Account) error {
	var once sync.Once
	return func(a *shop.Account) error {
		once.Do(func() {
			ctx := &inLine{Context: t.Context(), in: make(chan struct{})}
			all.Go(func() { g.call(ctx, st, id) })
			<-ctx.in
		})
		return change(a)
	}
}

// Ensures that a latecomer whose closure refuses is not told of the refusal if it is what he has done before that is
// refused; and one who has done nothing is.
func checkBatchLateRefused(t *testing.T, e *env, w onceWay) {
	st, id, op := w.open(e.db), e.account(t), idOf(t, "pay")
	poor := errors.New("insufficient funds")
	_, err := st.Update(t.Context(), id, plus(5), (&called{}).with(op, "5")...)
	require.NoError(t, err)
	for name, want := range map[string]error{op: nil, idOf(t, "new"): poor} {
		var all sync.WaitGroup
		latecomer := &payer{op: name, request: "5", change: func(*shop.Account) error { return poor }}
		first := &payer{op: idOf(t, fmt.Sprint("first of ", want)), change: late(t, st, id, &all, plus(0), latecomer)}
		second := &payer{change: plus(0)}
		meetAt(t, e, st, id, first, second)
		all.Wait()
		require.NoError(t, errors.Join(first.err, second.err))
		require.True(t, latecomer.err == want, "%s: got %v, want %v", name, latecomer.err, want)
		require.Equal(t, want == nil, latecomer.Replayed)
		if want == nil {
			require.Equal(t, e.row(t, id), latecomer.row)
		}
	}
	require.Zero(t, e.noted(t, idOf(t, "new")))
	w.agrees(t, e, id, opening+5+2, 8)
}

// Ensures that a latecomer whose id was applied before is a replay if his closure has been run again, and that nothing
// but the batch's being begun again is what the others have of it: nobody is told of a duplicate entry.
func checkBatchLateTaken(t *testing.T, e *env, w onceWay) {
	e, log := e.logged(t)
	st, id, op := w.open(e.db), e.account(t), idOf(t, "pay")
	_, err := st.Update(t.Context(), id, plus(5), (&called{}).with(op, "5")...)
	require.NoError(t, err)
	before := len(log.of("UPDATE"))
	var all sync.WaitGroup
	latecomer := &payer{op: op, request: "5", change: plus(5)}
	guests := []*payer{
		{op: idOf(t, "a"), change: late(t, st, id, &all, plus(1), latecomer)},
		{change: plus(2)},
		{op: idOf(t, "b"), change: plus(4)},
	}
	meetAt(t, e, st, id, guests...)
	all.Wait()
	for i, g := range guests {
		require.NoError(t, g.err, "guest %d", i)
		require.False(t, g.Replayed, "guest %d", i)
	}
	require.NoError(t, latecomer.err)
	require.True(t, latecomer.Replayed)
	w.agrees(t, e, id, opening+5+1+7, 6)
	require.Len(t, log.of("UPDATE"), before+3, "one, and the batch twice as a whole")
}

// Ensures that a batch whose INSERT meets an id that another process has entered since it was looked for begins again
// as a whole: who has that id is a replay, or told of his mismatch, all others are applied once, and nobody is told of a
// duplicate entry.
func checkBatchTaken(t *testing.T, e *env, w onceWay) {
	e, log := e.logged(t)
	for n, stored := range []string{"", "account 0"} {
		st, id := w.open(e.db), e.account(t)
		target := fmt.Sprintf("account %d", id)
		op := func(name string) string { return idOf(t, fmt.Sprint(name, n)) }
		before := len(log.of("UPDATE"))
		once := sync.OnceFunc(func() { e.enterAs(t, op("b"), cmp.Or(stored, target)) })
		guests := make([]*payer, 9)
		for i := range guests {
			guests[i] = &payer{op: op(fmt.Sprint(i)), change: plus(1 << i)}
		}
		guests[3] = &payer{change: plus(8)}
		taken := &payer{op: op("b"), change: func(a *shop.Account) error { once(); a.Balance += 16; return nil }}
		guests[4] = taken
		meetAt(t, e, st, id, guests...)
		sum := int64(1)
		for i, g := range guests {
			if g != taken {
				require.NoError(t, g.err, "guest %d", i)
				require.False(t, g.Replayed, "guest %d", i)
				require.LessOrEqual(t, g.Attempts, 1, "guest %d", i)
				sum += 1 << i
			}
		}
		if stored == "" {
			require.NoError(t, taken.err)
		} else {
			differs(t, taken.err, sqlcas.OperationMismatchError{
				ID: taken.op, Target: target, StoredTarget: stored, Differs: "target",
			})
		}
		require.Equal(t, stored == "", taken.Replayed)
		w.agrees(t, e, id, opening+sum, 10)
		require.Len(t, log.of("UPDATE"), before+3, "one, and the batch twice as a whole")
	}
}

// Ensures that who is refused, panics or ends in a batch, on changes that are committed with it, has no id noted, and can
// make the same call again.
func checkBatchEndings(t *testing.T, e *env, w onceWay) {
	st, id := w.open(e.db), e.account(t)
	poor := errors.New("insufficient funds")
	ends := map[string]func() error{
		"refused": func() error { return poor }, "panicked": func() error { panic(poor) },
		"exited": func() error { runtime.Goexit(); return nil },
	}
	guests := []*payer{{op: idOf(t, "a"), change: plus(1)}}
	for name, end := range ends {
		guests = append(guests, &payer{op: idOf(t, name), change: func(a *shop.Account) error {
			a.Balance = -1
			return end()
		}})
	}
	guests = append(guests, &payer{op: idOf(t, "b"), change: plus(2)})
	var calls []func(context.Context)
	for _, g := range guests {
		calls = append(calls, func(ctx context.Context) {
			defer func() {
				if p := recover(); p != nil {
					g.err = p.(error)
				}
			}()
			g.call(ctx, st, id)
		})
	}
	require.NoError(t, party(t, e, hosting{onceStore: st}, id, calls...))
	w.agrees(t, e, id, opening+1+3, 4)
	for name := range ends {
		require.Zero(t, e.noted(t, idOf(t, name)), name)
		g := &payer{op: idOf(t, name), change: plus(4)}
		g.call(t.Context(), st, id)
		require.NoError(t, g.err, name)
		require.False(t, g.Replayed, name)
	}
	refused := guests[slices.IndexFunc(guests, func(g *payer) bool { return g.op == idOf(t, "refused") })]
	require.True(t, refused.err == poor, "got %v, want the very value", refused.err)
	w.agrees(t, e, id, opening+1+3+12, 7)
}

// Ensures that the server's error about a batch is that of those who have caused it, whose ids are not noted, and that
// the ids of all others are.
func checkBatchBisected(t *testing.T, e *env, w onceWay) {
	st, id := w.open(e.db), e.account(t)
	guests := make([]*payer, 9)
	for i := range guests {
		guests[i] = &payer{op: idOf(t, fmt.Sprint(i)), change: func(a *shop.Account) error {
			a.Balance++
			if i == 2 || i == 7 {
				a.Owner = strings.Repeat("x", 65) // one more than the column holds
			}
			return nil
		}}
	}
	meetAt(t, e, st, id, guests...)
	for i, g := range guests {
		bad := i == 2 || i == 7
		require.Equal(t, bad, g.err != nil, "guest %d: %v", i, g.err)
		require.Equal(t, map[bool]int{true: 0, false: 1}[bad], e.noted(t, g.op), "guest %d", i)
		require.False(t, g.Replayed)
	}
	w.agrees(t, e, id, opening+8, 9)
}
