package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends with the first signal to end, so that what was made on the server can be
// dropped. The second one ends the process at once, as if nobody had listened. Stop it when done.
//
// A SIGHUP that nohup has the process ignore stays ignored.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ending...)
	heard := context.AfterFunc(ctx, stop)
	return ctx, func() {
		heard()
		stop()
	}
}

// surviveReaders has writes to standard output and standard error fail when nobody reads them any more. By default
// the process would end there and then, and leave its database on the server.
func surviveReaders() { signal.Ignore(syscall.SIGPIPE) }
