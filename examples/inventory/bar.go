package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar is a progress bar on a terminal, and nothing elsewhere: in a pipe or a log its redrawing
// would be noise.
type bar struct{ shown *progressbar.ProgressBar }

// startBar shows a bar for a strategy on out, if out is a terminal.
func startBar(out io.Writer, title string, orders int) bar {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return bar{}
	}
	return bar{progressbar.NewOptions(orders,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(title),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// step counts one order. It is safe for concurrent use.
func (b bar) step() {
	if b.shown != nil {
		_ = b.shown.Add(1) // a bar that cannot be drawn is no reason to stop
	}
}

// finish takes the bar away.
func (b bar) finish() {
	if b.shown != nil {
		_ = b.shown.Clear()
	}
}
