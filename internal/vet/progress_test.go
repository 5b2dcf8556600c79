package vet

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Ensures that a short run says nothing, that a long one says what it is doing and what it goes on to, and that
// nothing is said after its end.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := newProgress(&out)
		said := func() string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return out.String()
		}
		p.say("loading")
		time.Sleep(patience - time.Millisecond)
		synctest.Wait()
		require.Empty(t, said())

		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		p.say("checking")
		p.say("checking")
		require.Equal(t, "sqlcas vet: loading ...\nsqlcas vet: checking ...\n", said())

		p.stop()
		p.say("more")
		require.NotContains(t, said(), "more")
	})
	nobody := newProgress(nil)
	nobody.say("loading")
	nobody.stop()
}
