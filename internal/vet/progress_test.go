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
		p.say("loading")
		time.Sleep(patience - time.Millisecond)
		synctest.Wait()
		require.Empty(t, out.String())

		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		p.say("checking")
		p.say("checking")
		require.Equal(t, "sqlcas vet: loading ...\nsqlcas vet: checking ...\n", out.String())

		p.stop()
		p.say("more")
		require.NotContains(t, out.String(), "more")
	})
	nobody := newProgress(nil)
	nobody.say("loading")
	nobody.stop()
}
