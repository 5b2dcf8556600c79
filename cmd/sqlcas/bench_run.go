package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
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
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	var report hotrow.Report
	files, err := o.openReport(&report)
	if err != nil {
		return err
	}
	defer files.discard()
	report, err = o.onServer(ctx, complaints)
	switch {
	case errors.Is(err, hotrow.ErrLost):
		return failure{fmt.Errorf("nothing that was measured counts: %w", err), exitFound}
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("interrupted, so that nothing is reported: %w", err)
	case err != nil:
		return err
	}
	if err := files.save(); err != nil {
		return err
	}
	if o.json == standardOutput {
		return writeJSON(out, report)
	}
	return report.Text(out)
}

// onServer measures on the server that was named, or on one that it starts and stops.
func (o *benchOptions) onServer(ctx context.Context, complaints io.Writer) (report hotrow.Report, err error) {
	if o.throwaway == "" {
		return o.onDatabase(ctx, o.dsn, complaints)
	}
	server, err := throwaway(ctx, o.throwaway, complaints)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	return o.onDatabase(ctx, server.RootDSN(), complaints)
}

// onDatabase measures in a database of its own, which it drops.
func (o *benchOptions) onDatabase(
	ctx context.Context, dsn string, complaints io.Writer,
) (report hotrow.Report, err error) {
	d, err := benchdb.CreateEmpty(ctx, dsn)
	if err != nil {
		return report, explainRefusal(err)
	}
	defer func() { err = errors.Join(err, d.Drop()) }()
	server, err := o.look(ctx, d)
	if err != nil {
		return report, err
	}
	setup := hotrow.Setup{
		DSN: d.DSN(), Strategies: o.strategies, Callers: o.callers, Processes: o.processes, Pool: o.pool, Keys: o.keys,
		RTT: o.rtt, Duration: o.duration, Rounds: o.rounds, Worker: worker,
	}
	fmt.Fprintf(complaints, "sqlcas bench: %s; this takes about %v, and what the last updates of each turn need\n", server.Title(), o.expected())
	bar := start(complaints, setup.Steps())
	setup.Told = func(next string) {
		bar.Step()
		bar.Describe(next)
	}
	started := time.Now()
	report, err = o.measure(ctx, setup)
	bar.Clear()
	report.Command, report.Started, report.Server, report.Machine = o.command, started, server, thisMachine()
	return report, err
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

// expected is about how long the run will take: the rounds and one to warm up, each with a slice for every strategy
// and a short one for the time of a commit.
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
