package hotrow

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that an order which cannot be done is answered and not died of, and that the end of the orders is no
// error.
func TestServeAnswersWhatItCannotDo(t *testing.T) {
	t.Parallel()
	in, orders := io.Pipe()
	out, answers := io.Pipe()
	served := make(chan error)
	go func() { served <- Serve(t.Context(), in, answers) }()
	lines := bufio.NewReader(out)
	const open = `{"open":{"dsn":"root@tcp(127.0.0.1:1)/%s","strategies":["%s"],"pool":1}}`
	for _, tc := range []struct{ order, want string }{
		{`{"take":{"strategy":"store","callers":1}}`, "a worker is opened once"},
		{fmt.Sprintf(open, "x", "stor"), `there is no strategy \"stor\"`},
		{fmt.Sprintf(open, "", "store"), "the DSN names no database"},
		{fmt.Sprintf(open, "x", "store"), "{}"},
		{fmt.Sprintf(open, "x", "store"), "a worker is opened once"},
		{`{"take":{"strategy":"cas","callers":1}}`, `strategy \"cas\" was not opened`},
		{`{}`, "a worker is opened once"},
	} {
		_, err := fmt.Fprintln(orders, tc.order)
		require.NoError(t, err)
		got, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, got, tc.want, tc.order)
	}
	require.NoError(t, orders.Close())
	require.NoError(t, <-served)
}

// Ensures that orders which are no JSON end the worker, and that its context does.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, Serve(t.Context(), strings.NewReader("hello?"), io.Discard), "invalid character")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, orders := io.Pipe()
	defer orders.Close()
	require.ErrorIs(t, Serve(ctx, in, io.Discard), context.Canceled)
}
