package faulttest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/faultproxy"
)

// onceProcessEnv has this test binary be one of the processes of TestOnceUnderFaults, if it is anything.
const onceProcessEnv = "SQLCAS_TEST_ONCE_PROCESS"

// onceJob is what a process is told first: its way to the server, and its Store.
type onceJob struct {
	DSN           string
	Kind          int           // of onceKinds
	CommitTimeout time.Duration // 0 is the default
}

// onceRound is what it is told then, again and again: have a caller call with each of the ids, all at once.
type onceRound struct {
	Account uint64
	IDs     []string
}

// process is a program of its own, with a pool and a Store, which has a way of its own to the server.
type process struct {
	proxy *faultproxy.Proxy
	job   onceJob

	cmd  *exec.Cmd
	in   io.WriteCloser
	tell *json.Encoder
	hear *json.Decoder
}

// newProcess says what one is to be. Every other prepares its statements.
func (r *rig) newProcess(t *testing.T, kind, n int, commitTimeout time.Duration) *process {
	t.Helper()
	proxy, cfg := r.proxied(t)
	cfg.InterpolateParams = n%2 == 0
	return &process{proxy: proxy, job: onceJob{cfg.FormatDSN(), kind, commitTimeout}}
}

// start starts it. It ends with the context at the latest.
func (p *process) start(ctx context.Context) error {
	p.cmd = exec.CommandContext(ctx, os.Args[0])
	// The race detector would else sleep for a second before it lets the process go.
	p.cmd.Env = append(os.Environ(), onceProcessEnv+"=1", "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	p.tell, p.hear = json.NewEncoder(p.in), json.NewDecoder(out)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	return p.tell.Encode(p.job)
}

// round has the process make one, and returns what its callers were told.
func (p *process) round(r onceRound) (answers []onceAnswer, err error) {
	if err := p.tell.Encode(r); err != nil {
		return nil, err
	}
	return answers, p.hear.Decode(&answers)
}

// end has the process end, which it does well only if it has left nothing behind.
func (p *process) end() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// playOnce is what a process does.
func playOnce() error {
	hear, tell := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var job onceJob
	if err := hear.Decode(&job); err != nil {
		return err
	}
	cfg, err := mysql.ParseDSN(job.DSN)
	if err != nil {
		return err
	}
	cfg.Logger = &mysql.NopLogger{}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	var opts []sqlcas.Option
	if job.CommitTimeout > 0 {
		opts = append(opts, sqlcas.WithCommitTimeout(job.CommitTimeout))
	}
	db := sql.OpenDB(c)
	take := onceKinds[job.Kind].open(db, opts...)
	for {
		var r onceRound
		if err := hear.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if err := tell.Encode(r.play(take)); err != nil {
			return err
		}
	}
	for deadline := time.Now().Add(lockGrace); db.Stats().InUse > 0; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("after %v connections are in use: %+v", lockGrace, db.Stats())
		}
	}
	return errors.Join(db.Close(), goleak.Find())
}

// play has the callers call, and returns what all of them were told.
func (r onceRound) play(take onceTake) []onceAnswer {
	begin := make(chan struct{})
	told := make([][]onceAnswer, len(r.IDs))
	var all sync.WaitGroup
	for i, id := range r.IDs {
		all.Go(func() {
			<-begin
			told[i] = take.until(context.Background(), r.Account, id)
		})
	}
	close(begin)
	all.Wait()
	return slices.Concat(told...)
}
