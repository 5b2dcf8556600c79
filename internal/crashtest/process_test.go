package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

const (
	// clientLife is how long a client may take, after which it is killed and the test fails.
	clientLife = time.Minute
	// longestPause is up to how long after an answer a client or server is killed: some batches.
	longestPause = 20 * time.Millisecond
)

// order is what a client is told to do.
type order struct {
	DSN      string
	Payments []payment
}

// playClient makes the payments that it is told to on standard input, and tells each answer on standard output at
// once, a line each. It ends when its input does, since then its parent has gone.
func playClient() int {
	in := json.NewDecoder(os.Stdin)
	var o order
	if err := in.Decode(&o); err != nil {
		return refuse(err)
	}
	go func() {
		_ = in.Decode(&struct{}{})
		os.Exit(refuse(errors.New("the parent has gone")))
	}()
	cfg, err := mysql.ParseDSN(o.DSN)
	if err != nil {
		return refuse(err)
	}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return refuse(err)
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout) // one write a line, so that a kill cuts none in two
	payAll(context.Background(), newPool(c), o.Payments, func(a answer) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(a); err != nil {
			os.Exit(refuse(err))
		}
	})
	return 0
}

func refuse(err error) int {
	fmt.Fprintln(os.Stderr, "client:", err)
	return 1
}

// never is the number of answers after which a client is left to finish.
const never = -1

// payInProcess has a client of its own make the payments, kills it at a random moment after so many answers, and
// returns what it has told by then. On a busy machine a client may be through before it is killed.
func (b *books) payInProcess(t *testing.T, payments []payment, killAfter int) (told map[string]answer, killed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientLife)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	// The race detector would else sleep for a second before it lets the process go.
	cmd.Env = append(os.Environ(), playEnv+"="+client, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { _ = in.Close() }()
	require.NoError(t, json.NewEncoder(in).Encode(order{b.cfg.FormatDSN(), payments}))

	told = map[string]answer{}
	for lines := json.NewDecoder(out); ; {
		var a answer
		err := lines.Decode(&a)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, "what the client tells")
		require.NotContains(t, told, a.ID, "the client tells of it twice")
		told[a.ID] = a
		if len(told) == killAfter {
			time.Sleep(rand.N(longestPause)) // a moment like any other
			if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
				require.NoError(t, err)
			}
		}
	}
	err = cmd.Wait()
	if killAfter != never && !cmd.ProcessState.Exited() {
		return told, true
	}
	require.NoError(t, err, "a client that nobody has killed")
	return told, false
}

// payHere makes the payments in this process.
func (b *books) payHere(t *testing.T, payments []payment) map[string]answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientLife)
	defer cancel()
	db := newPool(dial(t, b.cfg))
	var mu sync.Mutex
	told := map[string]answer{}
	payAll(ctx, db, payments, func(a answer) {
		mu.Lock()
		defer mu.Unlock()
		told[a.ID] = a
	})
	await(t, "no connection is in use", func() bool { return db.Stats().InUse == 0 })
	require.NoError(t, db.Close())
	return told
}
