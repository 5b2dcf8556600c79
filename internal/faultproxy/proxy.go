// Package faultproxy is a TCP proxy that puts faults between a MySQL client and its server, for
// tests of what a client does when it cannot know whether its COMMIT happened.
//
// The proxy reads the client's packets and decides about each COMMIT by itself or as a test says:
//
//	p, err := faultproxy.Start(server.Addr())
//	defer p.Close()
//	cfg.Addr = p.Addr()
//	p.FaultCommits(faultproxy.DropReply, 1) // the next COMMIT happens; its reply is lost
//
// It cannot read TLS or compressed connections and refuses them; [Proxy.Close] then returns an
// error. A COMMIT sent as a prepared statement passes unseen. Statements that commit themselves pass
// too, until [Proxy.FaultStatements] says which of them are meant.
package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Proxy is a running proxy. All methods may be called from many goroutines at once.
type Proxy struct {
	target   string
	listener net.Listener
	ctx      context.Context // ended by Close; ends dials and delays
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every event
	conns   map[*conn]struct{}
	mode    Mode
	left    int // COMMITs that still get mode; negative for all
	decide  func(n int) Mode
	commits int
	counts  [modes]int
	latency time.Duration
	err     error

	match     func(query string) bool
	matches   int // statements that match and still get matchMode; negative for all
	matchMode Mode
}

// Start listens on a free port of 127.0.0.1 and forwards to target (host:port), passing everything
// until told otherwise. Close it, before the test's database is dropped.
func Start(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("faultproxy: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Proxy{
		target: target, listener: listener, ctx: ctx, cancel: cancel,
		changed: make(chan struct{}), conns: map[*conn]struct{}{},
	}
	p.wg.Go(p.accept)
	return p, nil
}

// Addr returns the address to connect to instead of the server's.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// FaultCommits gives the next n COMMITs this mode, on whatever connections they come; the ones
// after them pass. A negative n means all from now on. It replaces an earlier call's rest.
func (p *Proxy) FaultCommits(mode Mode, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode, p.left = mode, n
}

// Decide sets a function that chooses the mode of COMMIT number n, counted from 1 over all
// connections, unless FaultCommits has one left. It is called under the proxy's lock and must not
// call the proxy. nil passes all again.
func (p *Proxy) Decide(decide func(n int) Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decide = decide
}

// Latency delays each command and each reply by d, so a round trip takes 2d more; 0 is the default.
func (p *Proxy) Latency(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency = d
}

// Commits returns how many COMMITs clients have sent.
func (p *Proxy) Commits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commits
}

// Count returns how many COMMITs got this mode, each counted before its client can see the outcome, and
// for DropReply and StallReply after the server's reply, so that the transaction is committed by then.
func (p *Proxy) Count(mode Mode) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[mode]
}

// Await returns when Count(mode) has reached n, or with an error when ctx ends first.
func (p *Proxy) Await(ctx context.Context, mode Mode, n int) error {
	for {
		p.mu.Lock()
		have, changed := p.counts[mode], p.changed
		p.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("faultproxy: %d of %d %v: %w", have, n, mode, ctx.Err())
		}
	}
}

// Orphans returns how many sessions are open to the server whose client is gone.
func (p *Proxy) Orphans() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for c := range p.conns {
		if c.orphan {
			n++
		}
	}
	return n
}

// ReleaseOrphans closes the orphans' sessions; the server then rolls back what they left open.
func (p *Proxy) ReleaseOrphans() { p.cut(func(c *conn) bool { return c.orphan }) }

// CutAll closes all connections now, both sides, orphans too. New ones are still taken.
func (p *Proxy) CutAll() { p.cut(func(*conn) bool { return true }) }

// Close ends the proxy and returns when every connection and goroutine of it is gone. The error
// says whether a client wanted TLS or compression, which the proxy cannot read. Close is
// idempotent.
func (p *Proxy) Close() error {
	p.cancel()
	closeErr := p.listener.Close()
	if errors.Is(closeErr, net.ErrClosed) {
		closeErr = nil
	}
	p.CutAll()
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(closeErr, p.err)
}

// cut closes the connections that match.
func (p *Proxy) cut(match func(*conn) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if match(c) {
			c.close()
		}
	}
}

// accept takes connections until Close.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.wg.Go(func() { p.serve(client) })
	}
}

// serve runs one connection to its end.
func (p *Proxy) serve(client net.Conn) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	server, err := dialer.DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		_ = client.Close()
		// A server that is down for a while is a test's business and shows at its client.
		return
	}
	c := &conn{p: p, client: client, server: server, done: make(chan struct{})}
	p.mu.Lock()
	p.conns[c] = struct{}{}
	if p.ctx.Err() != nil { // Close has already cut the others
		c.close()
	}
	p.mu.Unlock()
	c.run()
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
}

// next counts a COMMIT and returns its mode.
func (p *Proxy) next() Mode {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits++
	switch {
	case p.left != 0:
		if p.left > 0 {
			p.left--
		}
		return p.mode
	case p.decide != nil:
		return p.decide(p.commits)
	}
	return Pass
}

// happened counts a completed event and wakes who awaits one.
func (p *Proxy) happened(mode Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[mode]++
	close(p.changed)
	p.changed = make(chan struct{})
}

// fail keeps the first error for Close.
func (p *Proxy) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// delay waits for the latency, and reports whether the connection is still wanted then.
func (p *Proxy) delay(done <-chan struct{}) bool {
	p.mu.Lock()
	d := p.latency
	p.mu.Unlock()
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-done:
		return false
	}
}
