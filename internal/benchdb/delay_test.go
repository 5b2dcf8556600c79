package benchdb

import (
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

// Ensures that an answer is held back once, however many reads it takes, and the next one again; and that
// what nobody asked for is not.
func TestEachAnswerIsDelayedOnce(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	defer far.Close()
	slept := 0
	d := &delayed{Conn: near, roundTrip: time.Hour, sleep: func(got time.Duration) {
		if got != time.Hour {
			t.Errorf("slept for %v, want %v", got, time.Hour)
		}
		slept++
	}}
	defer d.Close()
	exchange := func(question string, parts ...string) {
		t.Helper()
		go func() {
			_, _ = io.ReadFull(far, make([]byte, len(question)))
			for _, part := range parts {
				_, _ = far.Write([]byte(part))
			}
		}()
		if question != "" {
			if _, err := d.Write([]byte(question)); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range parts {
			got := make([]byte, len(want))
			if _, err := io.ReadFull(d, got); err != nil || string(got) != want {
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
		}
	}
	exchange("", "greeting")
	if slept != 0 {
		t.Errorf("a greeting was delayed %d times, want 0", slept)
	}
	exchange("one", "a", "b", "c")
	exchange("two", "d", "e")
	if slept != 2 {
		t.Errorf("two answers were delayed %d times, want 2", slept)
	}
}

// Ensures that a dialled connection takes as much longer as it says, and lets the driver see its file
// descriptor as any other does.
func TestADialledConnectionIsDelayed(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, _ = io.Copy(conn, conn)
			_ = conn.Close()
		}
	}()
	const roundTrip = 5 * time.Millisecond
	conn, err := dialer(roundTrip)(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.(syscall.Conn).SyscallConn(); err != nil {
		t.Errorf("file descriptor: %v", err)
	}
	start := time.Now()
	if _, err := conn.Write([]byte("?")); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < roundTrip {
		t.Errorf("an answer took %v, want at least %v", took, roundTrip)
	}
}

// Ensures that a list of servers is read as withdb writes it, and that no list is no servers.
func TestListOfServers(t *testing.T) {
	t.Parallel()
	got := parse("a=root@tcp(127.0.0.1:1)/?x=y;b=dsn")
	if len(got) != 2 || got[0] != (Server{"a", "root@tcp(127.0.0.1:1)/?x=y"}) || got[1] != (Server{"b", "dsn"}) {
		t.Errorf("got %v", got)
	}
	if got := parse(""); got != nil {
		t.Errorf("got %v of an empty list, want nothing", got)
	}
}
