package crashtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// roundIDs is how many payments a client is given. It is to be killed when it has told of half of them at most.
const roundIDs = 480

// clientCrashes are the clients that are killed on one server.
type clientCrashes struct {
	*books
	tally
	due        map[string]payment // of all rounds so far
	batch      int                // the largest
	objections []string
}

// round kills one client in the middle of its payments, and makes all of them again.
func (c *clientCrashes) round(t *testing.T, n int) {
	payments := make([]payment, roundIDs)
	for i := range payments {
		payments[i] = newPayment(n, i)
		c.due[payments[i].ID] = payments[i]
	}
	heard, killed := c.payInProcess(t, payments, 1+rand.IntN(roundIDs/2))
	if killed && len(heard) < roundIDs {
		c.kills++
	}

	// Every other round what the client had under way is still so when the payments are made again.
	var applied map[string]bool
	if n%2 == 0 {
		c.awaitAlone(t)
		applied = c.applied(t)
	}
	slices.Reverse(payments)
	var again map[string]answer
	if n%4 < 2 {
		again, _ = c.payInProcess(t, payments, never)
	} else {
		again = c.payHere(t, payments)
	}
	c.judge(payments, heard, again, applied)
}

// judge looks at what was told about each payment: by the client that was killed, and the second time. applied
// are those that had been made when they were made again, nil if that is not known.
func (c *clientCrashes) judge(payments []payment, heard, again map[string]answer, applied map[string]bool) {
	c.ids += len(payments)
	c.calls += len(heard) + len(again)
	for _, p := range payments {
		first, known := heard[p.ID]
		second, told := again[p.ID]
		c.batch = max(c.batch, first.Batch, second.Batch)
		if second.Replayed {
			c.replays++
			if !known {
				c.unheard++
			}
		}
		switch {
		case first.Error != "" || first.Replayed:
			c.object("%s, new: got %+v, want a success that is no replay", p.ID, first)
		case !told || second.Error != "":
			c.object("%s, made again: got %+v, want a success", p.ID, second)
		case known && !second.Replayed:
			c.object("%s, answered before the crash: made again it is no replay", p.ID)
		case applied != nil && applied[p.ID] != second.Replayed:
			c.object("%s: applied %v before it was made again, replayed %v", p.ID, applied[p.ID], second.Replayed)
		}
	}
}

func (c *clientCrashes) object(format string, args ...any) {
	c.objections = append(c.objections, fmt.Sprintf(format, args...))
}

// Ensures that a client which is killed at any moment, in mid-batch too, leaves no payment half made, and that who
// makes all of its payments again with their ids has made each of them once: what the client had heard of is
// there, what had been made is a replay, and account, ledger and operations agree to the last row.
func TestClientKilledInMidBatch(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		c := &clientCrashes{books: newBooks(t, s), due: map[string]payment{}}
		kills := times(t, clientsEnv, 3)
		for n := 0; c.kills < kills && n < kills*2+10; n++ {
			c.round(t, n)
		}
		require.Equal(t, kills, c.kills, "clients that were killed before they were through")
		c.awaitAlone(t)
		c.objections = append(c.objections, c.audit(t, c.due)...)
		c.wrong = len(c.objections)
		c.show("clients killed", s)
		report(t, c.objections)
		require.Greater(t, c.batch, 1, "changes written together")
	})
}
