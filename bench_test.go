package sqlcas_test

import (
	"context"
	"testing"

	"github.com/sqlcas/sqlcas"
)

func firstTime(context.Context) (int64, error) { return 1, nil }

// BenchmarkRetryFirstAttempt is what the harness itself costs a call that meets no conflict.
func BenchmarkRetryFirstAttempt(b *testing.B) {
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if err := sqlcas.Retry(ctx, firstTime); err != nil {
			b.Fatal(err)
		}
	}
}

// Ensures that a call without options that succeeds at once allocates no more than four times. It
// runs alone, because AllocsPerRun counts for the whole process.
func TestAPlainCallAllocatesLittle(t *testing.T) {
	ctx := t.Context()
	got := testing.AllocsPerRun(1000, func() {
		if err := sqlcas.Retry(ctx, firstTime); err != nil {
			t.Fatal(err)
		}
	})
	if got > 4 {
		t.Errorf("got %v allocations a call, want at most 4", got)
	}
	t.Logf("%v allocations a call", got)
}
