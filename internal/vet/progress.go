package vet

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// patience is how long a run may take without a word.
const patience = 2 * time.Second

// progress says what is being done, but only of a run that takes long: a fast one leaves a terminal alone.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	now   string
	late  bool
	timer *time.Timer
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if w != nil {
		p.timer = time.AfterFunc(patience, p.hurry)
	}
	return p
}

// say names what begins now.
func (p *progress) say(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || p.now == what {
		return
	}
	p.now = what
	if p.late {
		p.print()
	}
}

func (p *progress) hurry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	p.late = true
	p.print()
}

func (p *progress) print() {
	if p.now != "" {
		fmt.Fprintf(p.w, "sqlcas vet: %s ...\n", p.now)
	}
}

// stop ends it: nothing is written afterwards.
func (p *progress) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.w = nil
}
