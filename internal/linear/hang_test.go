package linear

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// answerLimit is far more than a call may take whose context has ended: it is given 1 s to find out what became of
// its swap.
const answerLimit = 5 * time.Second

// Ensures that a caller comes back whose UPDATE got no answer and whose look-up of what became of it meets a
// dead connection at its last statement, the ROLLBACK: a history of seed 1000 never ended for that.
func TestNobodyWaitsForTheEndOfALookUp(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		for _, k := range kinds() {
			t.Run(k.name, func(t *testing.T) {
				r := newRig(t, s)
				f := newFaults(t, r)
				store := k.make(r.pools(t, f.proxy.Addr())[0])
				row := r.make(t)[0]
				f.proxy.FaultStatements(func(q string) bool {
					return strings.Contains(q, "UPDATE account") || strings.HasPrefix(q, "ROLLBACK")
				}, faultproxy.StallReply, 2)

				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				answered := make(chan error, 1)
				go func() {
					_, err := store.Update(ctx, row, func(a *shop.Account) error { a.Balance++; return nil })
					answered <- err
				}()
				select {
				case err := <-answered:
					moved := r.number(t, "SELECT MAX(version) FROM account") - int(opening.version)
					if !errors.Is(err, sqlcas.ErrOutcomeUnknown) {
						require.Equal(t, err == nil, moved == 1, "the answer is %v, and the row has moved by %d", err, moved)
					}
				case <-time.After(answerLimit):
					t.Errorf("the call has no answer %v after it was made with a context of %v", answerLimit, patience)
					f.cut()
					<-answered
				}
			})
		}
	})
}
