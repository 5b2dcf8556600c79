//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package mysqltest

import (
	"context"
	"errors"
	"io"
	"os/exec"
)

// supported says whether this system can run the lifeline.
const supported = false

// lockFile has no implementation here; only SQLCAS_TEST_DSNS works on such a system.
func lockFile(context.Context, io.Writer, string, string) (func(), error) {
	return nil, errors.New("mysqltest: no server processes on this system; set SQLCAS_TEST_DSNS")
}

// isolate does nothing here.
func isolate(*exec.Cmd) {}
