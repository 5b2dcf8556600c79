package benchdb

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// delayed is a connection to a server that is farther away. It hands over the first part of an answer only
// after a sleep, so that every round trip takes as much longer, whatever the server took.
//
// It is one sleep and not half of it each way, because Linux's poller, which wakes sleepers in Go,
// counts whole milliseconds: 0.5 ms comes to as much as 1 ms. The two are the same to a database: the time
// between two statements of a session, and thus for how long a transaction of them holds its locks.
type delayed struct {
	net.Conn
	roundTrip time.Duration
	sleep     func(time.Duration)
	asked     atomic.Bool // something was sent, and nothing of the answer was handed over
}

// dialer returns what mysql.Config.DialFunc dials a delayed connection with.
func dialer(roundTrip time.Duration) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &delayed{Conn: conn, roundTrip: roundTrip, sleep: time.Sleep}, nil
	}
}

// Write sends at once.
func (d *delayed) Write(b []byte) (int, error) {
	d.asked.Store(true)
	return d.Conn.Write(b)
}

// Read waits for what comes, and, if it is the first part of an answer, for the round trip. What follows of the
// same answer comes at once, as does an error.
func (d *delayed) Read(b []byte) (int, error) {
	n, err := d.Conn.Read(b)
	if n > 0 && d.asked.Swap(false) {
		d.sleep(d.roundTrip)
	}
	return n, err
}

// SyscallConn lets the driver look, as at any connection, whether the server has hung up on one that
// was idle: else a delayed connection would be spared a system call.
func (d *delayed) SyscallConn() (syscall.RawConn, error) {
	if c, ok := d.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.New("the connection has no file descriptor")
}
