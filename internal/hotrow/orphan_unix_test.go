//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package hotrow

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// dsnEnv is where the parent of TestWorkersEndWithTheirParent gets its database from.
const dsnEnv = "SQLCAS_TEST_PLAY_DSN"

func init() { roles["parent"] = parent }

// parent plays a process that runs for an hour, and says when its workers are at it. They inherit its last open
// file, so that its other end tells when all of them are gone.
func parent() int {
	worker := func() *exec.Cmd {
		c := &cast{role: "worker"}
		cmd := c.worker()
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "alive")}
		return cmd
	}
	_, err := Run(context.Background(), Setup{
		DSN: os.Getenv(dsnEnv), Strategies: []string{"store"}, Callers: []int{2}, Processes: 2, Worker: worker,
		Pool: 2, Keys: 1, Duration: time.Hour, Rounds: 3600,
		Told: func(next string) { fmt.Println("next:", next) },
	})
	fmt.Println(err)
	return 1
}

// Ensures that workers end when the process that started them is killed, and with them their sessions.
func TestWorkersEndWithTheirParent(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, server *mysqltest.Server) {
		s := short(t, server)
		alive, inherited, err := os.Pipe()
		require.NoError(t, err)
		defer alive.Close()
		c := &cast{t: t, role: "parent"}
		cmd := c.worker()
		cmd.Env = append(cmd.Env, dsnEnv+"="+s.DSN)
		cmd.ExtraFiles = []*os.File{inherited}
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		require.NoError(t, inherited.Close())
		for said := ""; !strings.HasSuffix(said, ": store\n"); {
			said, err = bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
		}
		db := peek(t, s.DSN)
		awaitMove(t.Context(), db)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		require.NoError(t, alive.SetReadDeadline(time.Now().Add(10*time.Second)))
		_, err = alive.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, "the workers are still there")
		requireNoSession(t, db)
	})
}
