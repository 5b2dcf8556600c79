package hotrow

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// playEnv has this test binary play a process that a run starts; see roles.
const playEnv = "SQLCAS_TEST_PLAY"

// TestMain looks for goroutines that outlived the tests, or plays a role in one of them.
func TestMain(m *testing.M) {
	registry = append(registry, unsound...)
	if role, ok := roles[os.Getenv(playEnv)]; ok {
		os.Exit(role())
	}
	flag.Parse()
	// They wait for turns to end more than they compute.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(mysqltest.Main(m))
}

// unsound are strategies that no report may come of.
var unsound = []Strategy{
	{Name: "forgetful", open: func(*sql.DB) work {
		return func(limits, uint64) (int64, error) { return 0, nil }
	}},
	{Name: "lossy", open: func(db *sql.DB) work {
		var calls atomic.Int64
		w := deltaByHand(db)
		return func(l limits, id uint64) (int64, error) {
			if calls.Add(1) == 3 {
				return 0, nil
			}
			return w(l, id)
		}
	}},
	{Name: "twice", open: func(db *sql.DB) work {
		w, once := deltaByHand(db), sync.Once{}
		return func(l limits, id uint64) (_ int64, err error) {
			once.Do(func() { _, err = w(l, id) })
			_, again := w(l, id)
			return 0, errors.Join(err, again)
		}
	}},
	{Name: "versionless", open: func(db *sql.DB) work {
		return func(l limits, id uint64) (int64, error) {
			//sqlcas:allow CAS001 the fault is what is to be found
			_, err := db.ExecContext(l.life, "UPDATE account SET balance = balance - 1 WHERE id = ?", id)
			return 0, err
		}
	}},
	{Name: "unentered", ledger: idsInEntries, open: func(db *sql.DB) work {
		var calls atomic.Int64
		w, silent := lockAndEnter(db), lockByHand(db)
		return func(l limits, id uint64) (int64, error) {
			if calls.Add(1) == 3 {
				return silent(l, id)
			}
			return w(l, id)
		}
	}},
	{Name: "unnamed", ledger: ownIDs, open: func(db *sql.DB) work {
		var calls atomic.Int64
		w := journalStore(db)
		return func(l limits, id uint64) (tries int64, err error) {
			tries, err = w(l, id)
			if err == nil && calls.Add(1) == 3 {
				_, err = db.ExecContext(l.life, "DELETE FROM sqlcas_operation LIMIT 1")
			}
			return tries, err
		}
	}},
	{Name: "broken", open: func(*sql.DB) work {
		return func(limits, uint64) (int64, error) { return 0, errors.New("the sky has fallen") }
	}},
}

// roles are what this test binary can play, by the value of playEnv.
var roles = map[string]func() int{
	"worker": func() int {
		if err := Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	},
	"dies":    func() int { return opens(func() int { fmt.Fprint(os.Stderr, "out of luck\n"); return 7 }) },
	"leaves":  func() int { return opens(func() int { return 0 }) },
	"babbles": func() int { return opens(func() int { fmt.Println("hello?"); return asleep() }) },
	"mumbles": func() int { return opens(func() int { fmt.Println("{}"); return 0 }) },
	"asleep":  func() int { return opens(asleep) },
}

// opens answers to the first order as a worker does, and then to the second in its own way.
func opens(then func() int) int {
	lines := json.NewDecoder(os.Stdin)
	var r request
	if lines.Decode(&r) != nil || r.Open == nil {
		return 1
	}
	fmt.Println("{}")
	if lines.Decode(&r) != nil {
		return 1
	}
	return then()
}

// asleep does not listen.
func asleep() int {
	time.Sleep(time.Minute)
	return 0
}

// cast makes workers of a role, and knows them all.
type cast struct {
	t    *testing.T
	role string
	all  []*exec.Cmd
}

func (c *cast) worker() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	// The race detector would else sleep for a second before it lets the process go.
	cmd.Env = append(os.Environ(), playEnv+"="+c.role, "GORACE=atexit_sleep_ms=0")
	c.all = append(c.all, cmd)
	return cmd
}

// requireGone makes sure that all have ended and were waited for, so that none is left as a zombie.
func (c *cast) requireGone(processes int) {
	c.t.Helper()
	require.Len(c.t, c.all, processes)
	for i, cmd := range c.all {
		require.NotNil(c.t, cmd.ProcessState, "process %d was not waited for", i+1)
	}
}

// short is a run that takes no time, on a database of the test's own.
func short(t *testing.T, s *mysqltest.Server, strategies ...string) Setup {
	t.Helper()
	cfg := s.Config(t)
	cfg.InterpolateParams = true
	return Setup{
		DSN: cfg.FormatDSN(), Strategies: strategies, Callers: []int{3}, Processes: 1, Pool: 3, Keys: 1,
		Duration: 80 * time.Millisecond, Rounds: 2,
	}
}

// inProcesses sets a run up for several processes that play the role. They begin together by a tenth of a turn, which
// must be long enough for a busy machine.
func (s *Setup) inProcesses(t *testing.T, n int, role string) *cast {
	c := &cast{t: t, role: role}
	s.Processes, s.Worker, s.Duration = n, c.worker, time.Duration(s.Rounds)*500*time.Millisecond
	return c
}

// peek opens a pool of the test's own on the run's database.
func peek(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}
