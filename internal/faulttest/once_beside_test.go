package faulttest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/optimistic"
	"github.com/sqlcas/sqlcas/schema"
)

// arriving is a context by which its caller is known to be in line.
type arriving struct {
	context.Context
	once sync.Once
	in   chan struct{}
}

// Done is asked for by who waits.
func (c *arriving) Done() <-chan struct{} {
	c.once.Do(func() { close(c.in) })
	return c.Context.Done()
}

// Ensures that callers without an id are not worse off for a replay in their batch: where nothing was entered that could
// tell what became of a lost COMMIT, the row is looked at.
func TestLostCommitBesideAReplay(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := newRig(t, s, 1)
		r.exec(t, schema.Sqlcas()[0])
		p, cfg := r.proxied(t)
		db := open(t, dial(t, cfg))
		st := optimistic.NewStore(db, shop.AccountTable)
		take := func(ctx context.Context, opts ...sqlcas.Option) error {
			_, err := st.Update(ctx, 1, func(a *shop.Account) error { a.Balance--; return nil }, opts...)
			return err
		}
		require.NoError(t, take(t.Context(), sqlcas.WithOperationID("old")))
		inside, release := make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			once := sync.OnceFunc(func() { close(inside); <-release })
			_, err := st.Update(t.Context(), 1, func(*shop.Account) error { once(); return nil })
			if err != nil {
				t.Error(err)
			}
		})
		<-inside
		for i, opts := range [][]sqlcas.Option{nil, {sqlcas.WithOperationID("old")}, nil} {
			ctx := &arriving{Context: t.Context(), in: make(chan struct{})}
			all.Go(func() {
				if err := take(ctx, opts...); err != nil {
					t.Error(fmt.Errorf("guest %d: %w", i, err))
				}
			})
			<-ctx.in
		}
		p.FaultCommits(faultproxy.DropRequest, 1) // the first caller's swap commits itself
		close(release)
		all.Wait()
		require.Equal(t, opening-3, r.number(t, "SELECT balance FROM account WHERE id = 1"))
		require.Equal(t, 4, r.swaps(t, 1))
		r.assertUnlocked(t)
	})
}
