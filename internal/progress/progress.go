// Package progress shows how far a benchmark is.
package progress

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar is a progress bar on a terminal, and nothing elsewhere: in a pipe or a log its redrawing would
// be noise. The zero Bar shows nothing.
type Bar struct{ shown *progressbar.ProgressBar }

// Start shows a bar of so many steps on out, if out is a terminal.
func Start(out *os.File, steps int) Bar {
	if !term.IsTerminal(int(out.Fd())) {
		return Bar{}
	}
	return Bar{progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// Describe says what is being done.
func (b Bar) Describe(what string) {
	if b.shown != nil {
		b.shown.Describe(what)
	}
}

// Step counts one step.
func (b Bar) Step() {
	if b.shown != nil {
		_ = b.shown.Add(1) // a bar that cannot be drawn is no reason to stop
	}
}

// Clear takes the bar away, until the next step, so that something else can be printed.
func (b Bar) Clear() {
	if b.shown != nil {
		_ = b.shown.Clear()
	}
}
