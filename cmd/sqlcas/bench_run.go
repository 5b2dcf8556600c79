package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/internal/benchdb"
	"github.com/sqlcas/sqlcas/internal/hotrow"
	"github.com/sqlcas/sqlcas/internal/progress"
)

// run does what was asked for, and writes what came of it.
func (o *benchOptions) run(ctx context.Context, out, complaints io.Writer) error {
	if o.simulate {
		return o.runSimulation(out)
	}
	surviveReaders()
	// The files come before the signals: to open a pipe is to wait for who reads it, and Ctrl-C has to end that.
	var report hotrow.Report
	files, err := o.openReport(&report)
	if err != nil {
		return err
	}
	defer files.close()
	report, err = o.onServer(ctx, complaints)
	switch {
	case errors.Is(err, hotrow.ErrLost):
		return failure{fmt.Errorf("nothing that was measured counts: %w", err), exitFound}
	case err != nil:
		return err
	}
	return o.deliver(out, report, files)
}

// onServer measures on the server that was named, or on one that it starts and stops. A signal ends it early.
func (o *benchOptions) onServer(ctx context.Context, complaints io.Writer) (report hotrow.Report, err error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	if o.throwaway == "" {
		return o.onDatabase(ctx, o.dsn, complaints)
	}
	server, err := throwaway(ctx, o.throwaway, complaints)
	if err != nil {
		return report, unlessInterrupted(ctx, err)
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	return o.onDatabase(ctx, server.RootDSN(), complaints)
}

// onDatabase measures in a database of its own, which it drops.
func (o *benchOptions) onDatabase(ctx context.Context, dsn string, complaints io.Writer) (hotrow.Report, error) {
	var report hotrow.Report
	d, err := benchdb.CreateEmpty(ctx, dsn)
	if err != nil {
		return report, unlessInterrupted(ctx, explainRefusal(err))
	}
	report, err = o.inDatabase(ctx, d, complaints)
	return report, errors.Join(unlessInterrupted(ctx, err), d.Drop())
}

// errInterrupted is all there is to say after a signal to end: whatever else fails then does so because of it.
var errInterrupted = errors.New("interrupted, so that nothing is reported")

// unlessInterrupted puts errInterrupted in the place of errors that come after the end of ctx, but for a lost update.
func unlessInterrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && !errors.Is(err, hotrow.ErrLost) {
		return errInterrupted
	}
	return err
}

// inDatabase measures in a database that is there for it.
func (o *benchOptions) inDatabase(
	ctx context.Context, d *benchdb.Database, complaints io.Writer,
) (report hotrow.Report, err error) {
	server, err := o.look(ctx, d)
	if err != nil {
		return report, err
	}
	setup := hotrow.Setup{
		DSN: d.DSN(), Strategies: o.strategies, Callers: o.callers, Processes: o.processes, Pool: o.pool, Keys: o.keys,
		RTT: o.rtt, Duration: o.duration, Rounds: o.rounds, Worker: worker,
	}
	fmt.Fprintf(complaints, "sqlcas bench: %s; this takes at least about %v: what the last updates of each turn need "+
		"comes on top\n", server.Title(), o.expected())
	bar := start(complaints, setup.Steps())
	setup.Told = func(next string) {
		bar.Step()
		bar.Describe(next)
	}
	started := time.Now()
	report, err = o.measure(ctx, setup)
	bar.Clear()
	report.Command, report.Started, report.Server, report.Machine = o.command, started, server, thisMachine()
	return report, explainPoverty(ctx, d, err)
}

// look asks the server what it is, and whether it takes as many connections as the run will make.
func (o *benchOptions) look(ctx context.Context, d *benchdb.Database) (hotrow.Server, error) {
	db, err := d.Open(1, 0)
	if err != nil {
		return hotrow.Server{}, err
	}
	defer func() { _ = db.Close() }()
	if err := o.checkConnections(ctx, db); err != nil {
		return hotrow.Server{}, err
	}
	return describe(ctx, db)
}

// expected is about how long the run will take at the least: the rounds and one to warm up, each with a slice for
// every strategy and a short one for the time of a commit.
func (o *benchOptions) expected() time.Duration {
	round := o.slice()*time.Duration(len(o.strategies)) + o.slice()/8
	all := round * time.Duration(o.rounds+1) * time.Duration(len(o.callers))
	return max(all.Round(time.Second), time.Second)
}

// worker is the command of another process that measures.
func worker() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, workerName)
}

// start shows a progress bar if somebody may be looking.
func start(complaints io.Writer, steps int) progress.Bar {
	if f, ok := complaints.(*os.File); ok {
		return progress.Start(f, steps)
	}
	return progress.Bar{}
}

// thisMachine describes the machine that the callers run on.
func thisMachine() hotrow.Machine {
	return hotrow.Machine{
		CPU: cpuModel(), CPUs: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, GoVer: runtime.Version(),
	}
}

// cpuModel is what Linux says of the first CPU, on the architectures that name it there; else nothing.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
