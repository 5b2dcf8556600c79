//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mysqltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// supported says whether this system can run the lifeline.
const supported = true

// lockFile takes an exclusive lock on path, which it creates, and returns what gives it back. The
// kernel gives it back too when the process ends, however it ends; the file itself stays. When
// somebody else holds it, one line on out says so, and the wait ends with ctx.
func lockFile(ctx context.Context, out io.Writer, path, what string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("mysqltest: lock file: %w", err)
	}
	start, told := time.Now(), false
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, fmt.Errorf("mysqltest: lock %s: %w", path, err)
		}
		if !told && time.Since(start) > 2*time.Second {
			fmt.Fprintf(out, "sqlcas: waiting for another process: %s\n", what)
			told = true
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("mysqltest: lock %s: %w", path, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// isolate puts a command into a process group of its own, so that a Ctrl-C in the terminal reaches
// the tests and not the servers: those end when the tests let go of them.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
