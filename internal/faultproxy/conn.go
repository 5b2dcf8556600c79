package faultproxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// errUnreadable is kept for Close when a client asks for what the proxy cannot read.
var errUnreadable = errors.New("faultproxy: a client asked for TLS or compression; " +
	"leave both off in its configuration")

// conn is one client's connection and its session on the server. Two goroutines work on it: up
// carries the client's packets and down the server's replies.
type conn struct {
	p              *Proxy
	client, server net.Conn
	closeOnce      sync.Once
	done           chan struct{} // closed by close
	fault          atomic.Int32  // the Mode that down applies to the next reply
	orphan         bool          // the client is gone and the session stays; under p.mu
	prepared       string        // the text that up has seen prepared last
}

// close closes both sides and wakes both goroutines.
func (c *conn) close() {
	c.closeOnce.Do(func() {
		close(c.done)
		_ = c.client.Close()
		_ = c.server.Close()
	})
}

// run returns when both directions have ended.
func (c *conn) run() {
	var down sync.WaitGroup
	down.Go(c.down)
	c.up()
	down.Wait()
	c.close()
}

// up forwards packets to the server until the client goes or a fault takes over.
func (c *conn) up() {
	r := bufio.NewReader(c.client)
	header := make([]byte, headerSize)
	first := true
	for {
		if _, err := io.ReadFull(r, header); err != nil {
			c.close()
			return
		}
		n, sequence := packetLength(header), header[3]
		if n > maxCommandSize && !first {
			if !c.forwardLong(r, header, n) {
				return
			}
			continue
		}
		packet := append(append(make([]byte, 0, headerSize+n), header...), make([]byte, n)...)
		if _, err := io.ReadFull(r, packet[headerSize:]); err != nil {
			c.close()
			return
		}
		if first && unreadable(packet[headerSize:]) {
			c.p.fail(errUnreadable)
			c.close()
			return
		}
		first = false
		// Sequence 0 begins a command; others continue a handshake or a long packet.
		if sequence == 0 {
			if mode, ok := c.meets(packet[headerSize:]); ok {
				if !c.commit(mode, packet, r) {
					return
				}
				continue
			}
		}
		if !c.write(packet) {
			return
		}
	}
}

// forwardLong forwards a packet that cannot be a COMMIT without holding it in memory.
func (c *conn) forwardLong(r io.Reader, header []byte, n int) bool {
	if !c.write(header) {
		return false
	}
	if _, err := io.CopyN(c.server, r, int64(n)); err != nil {
		c.close()
		return false
	}
	return true
}

// write sends bytes to the server after the latency; it reports whether the connection goes on.
func (c *conn) write(b []byte) bool {
	if c.p.delay(c.done) {
		if _, err := c.server.Write(b); err == nil {
			return true
		}
	}
	c.close()
	return false
}

// commit applies a mode to a COMMIT and reports whether up goes on with the next packet. Each mode is
// counted before the client can see what became of its COMMIT: who has his answer finds it counted.
func (c *conn) commit(mode Mode, packet []byte, r io.Reader) bool {
	switch mode {
	case DropRequest:
		c.orphaned()
		c.p.happened(mode)
		_ = c.client.Close()
		return false
	case DropRequestBoth:
		c.p.happened(mode)
		c.close()
		return false
	case StallRequest:
		// down may still see the server end the session, and must not tell the client.
		c.fault.Store(int32(mode))
		c.p.happened(mode)
		c.awaitClient(r)
		return false
	case DropReply, StallReply:
		// Set before the server can answer. Nothing of an earlier reply is under way: the client
		// sends its COMMIT only after it has read that.
		c.fault.Store(int32(mode))
		if !c.write(packet) {
			return false
		}
		c.awaitClient(r)
		return false
	default:
		c.p.happened(Pass)
		return c.write(packet)
	}
}

// awaitClient reads and forgets what a stalled client sends until it closes. Under a mode that
// keeps orphans the session stays then; otherwise both sides close.
func (c *conn) awaitClient(r io.Reader) {
	_, _ = io.Copy(io.Discard, r)
	if Mode(c.fault.Load()).keepsOrphan() {
		c.leave()
		return
	}
	// DropReply: down closes the connection after the server's reply, also for a client that did
	// not wait for it, so that the outcome is the same in each run.
}

// leave closes the client's side only and makes the session an orphan.
func (c *conn) leave() {
	c.orphaned()
	_ = c.client.Close()
}

func (c *conn) orphaned() {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.orphan = true
}

// down forwards the server's bytes to the client, or does to them what the fault says.
func (c *conn) down() {
	buffer := make([]byte, 32<<10)
	held := false
	for {
		n, err := c.server.Read(buffer)
		mode := Mode(c.fault.Load())
		switch {
		case err != nil && (mode == StallRequest || mode == StallReply):
			// The session ended, by a KILL for instance. A client behind a dead network would not
			// learn of it, so its side stays.
			_ = c.server.Close()
			c.p.mu.Lock()
			c.orphan = false
			c.p.mu.Unlock()
			return
		case err != nil:
			c.close()
			return
		case mode == DropReply:
			c.p.happened(mode)
			c.close()
			return
		case mode == StallReply && !held:
			held = true
			c.p.happened(mode)
		case mode == StallReply || mode == StallRequest:
			// Held for good.
		default:
			if !c.p.delay(c.done) {
				return
			}
			if _, err := c.client.Write(buffer[:n]); err != nil && !c.left() {
				c.close()
				return
			}
		}
	}
}

// left reports whether the session is an orphan.
func (c *conn) left() bool {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	return c.orphan
}
