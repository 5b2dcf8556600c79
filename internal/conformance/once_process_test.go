package conformance

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"
)

// onceProcessEnv has this test binary be one of the processes of TestOnceLedgerMakesNoDeadlocks, if it is anything.
const onceProcessEnv = "SQLCAS_TEST_ONCE_PROCESS"

// onceOrder is what a process is told to do.
type onceOrder struct {
	DSN      string
	Process  int
	Accounts []uint64
	Last     time.Duration
}

// run has a process of its own do it, and returns what its callers did.
func (o onceOrder) run(ctx context.Context) (*onceLedger, error) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	// The race detector would else sleep for a second before it lets the process go.
	cmd.Env = append(os.Environ(), onceProcessEnv+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	told := newOnceLedger(o.Accounts)
	err = errors.Join(json.NewEncoder(in).Encode(o), in.Close(), json.NewDecoder(out).Decode(told))
	return told, errors.Join(err, cmd.Wait())
}

// playOnce is what a process does. It ends well only if it has left nothing behind.
func playOnce() error {
	var o onceOrder
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		return err
	}
	cfg, err := mysql.ParseDSN(o.DSN)
	if err != nil {
		return err
	}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(onceCallers)
	db.SetMaxIdleConns(onceCallers)
	l := o.play(context.Background(), db)
	for deadline := time.Now().Add(idleWithin); db.Stats().InUse > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("after %v connections are in use: %+v", idleWithin, db.Stats())
		}
	}
	return errors.Join(db.Close(), goleak.Find(), json.NewEncoder(os.Stdout).Encode(l))
}

// play has the callers call until the time is over.
func (o onceOrder) play(ctx context.Context, db *sql.DB) *onceLedger {
	l, st := newOnceLedger(o.Accounts), entering{ledgerStore(db)}
	end := time.Now().Add(o.Last)
	var all sync.WaitGroup
	for caller := range onceCallers {
		all.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				l.call(ctx, st, o.Process, caller, n)
			}
		})
	}
	all.Wait()
	return l
}
