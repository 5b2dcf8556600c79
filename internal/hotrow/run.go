package hotrow

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sqlcas/sqlcas/internal/benchdb"
)

// lead is how far ahead of its start a turn is announced to other processes.
const lead = 50 * time.Millisecond

// crew is the callers of one process: this one's crowd, or another's.
type crew interface {
	take(ctx context.Context, t turn) (tally, error)
	close()
}

// Run measures what s says. It fills all of the Report but Command, Started, Machine and Server, and leaves the
// tables in the database as they are. An error, of whatever call, is that of the run, and there is no report:
// ErrLost, ctx's own if it has ended, or that of a strategy, which is named.
//
// Each round of each number of callers has a turn of every strategy, of Duration / Rounds, and an eighth of that for
// Cell.Commit, which is measured without RTT. Rates are of the updates that were done within the turn. Those under way
// at its end are waited for, and count for everything else; who has not been applied half a minute later
// is called off, and counts in Result.GaveUp alone.
func Run(ctx context.Context, s Setup) (Report, error) {
	if err := s.check(); err != nil {
		return Report{}, err
	}
	r := &run{setup: s}
	defer r.close()
	for _, next := range s.plan() {
		if err := r.do(ctx, next); err != nil {
			if ctx.Err() != nil && !errors.Is(err, ErrLost) {
				err = ctx.Err()
			}
			return Report{}, err
		}
		if s.Told != nil {
			s.Told(next.next)
		}
	}
	return r.report(), nil
}

// run is a run under way.
type run struct {
	setup      Setup
	strategies []Strategy // that the setup names
	db         *sql.DB    // without an added round trip
	crews      []crew
	books      *books
	commit     [][]time.Duration // by cell and round
	totals     [][]*total        // by cell and strategy
}

func (r *run) do(ctx context.Context, s step) error {
	switch s.kind {
	case prepare:
		return r.prepare(ctx)
	case commits:
		return r.commits(ctx, s)
	}
	return r.turn(ctx, s)
}

// prepare makes the tables and rows, and opens the crews.
func (r *run) prepare(ctx context.Context) error {
	for range r.setup.Callers {
		totals := make([]*total, len(r.setup.Strategies))
		for i := range totals {
			totals[i] = newTotal()
		}
		r.totals = append(r.totals, totals)
	}
	r.commit = make([][]time.Duration, len(r.setup.Callers))
	var err error
	if r.db, err = benchdb.Open(r.setup.DSN, 1, 0); err != nil {
		return err
	}
	if err = benchdb.CreateTables(ctx, r.db); err != nil {
		return err
	}
	if r.books, err = openBooks(ctx, r.db, r.setup.Keys+1); err != nil { // one for commits
		return err
	}
	if r.strategies, err = named(r.setup.Strategies); err != nil {
		return err
	}
	if err = openLedgers(ctx, r.db, r.strategies); err != nil {
		return err
	}
	o := outfit{DSN: r.setup.DSN, Strategies: r.setup.Strategies, Pool: r.setup.Pool, RTT: r.setup.RTT}
	if r.setup.Processes == 1 {
		c, err := openCrowd(o)
		if err == nil {
			r.crews = []crew{c}
		}
		return err
	}
	for i := range r.setup.Processes {
		p, err := startProcess(ctx, i+1, r.setup.Worker(), o)
		if err != nil {
			return err
		}
		r.crews = append(r.crews, p)
	}
	return nil
}

// close ends everything, and returns when it has ended.
func (r *run) close() {
	var wg sync.WaitGroup
	for _, c := range r.crews {
		wg.Go(c.close)
	}
	wg.Wait()
	if r.db != nil {
		_ = r.db.Close()
	}
}

// commits measures what one commit takes, on the last row, which nobody else updates.
func (r *run) commits(ctx context.Context, s step) error {
	var took []time.Duration
	end := time.Now().Add(r.setup.slice() / 8)
	for now := time.Now(); len(took) == 0 || now.Before(end); {
		if err := deltaOnce(ctx, r.db, uint64(r.setup.Keys)+1); err != nil {
			return fmt.Errorf("one caller alone: %w", err)
		}
		after := time.Now()
		took = append(took, after.Sub(now))
		now = after
	}
	if err := r.books.check(ctx, map[uint64]int64{uint64(r.setup.Keys) + 1: int64(len(took))}); err != nil {
		return fmt.Errorf("one caller alone: %w", err)
	}
	if s.round > 0 {
		slices.Sort(took)
		r.commit[s.cell] = append(r.commit[s.cell], took[len(took)/2])
	}
	return nil
}

// turn has all crews work by one strategy.
func (r *run) turn(ctx context.Context, s step) error {
	name, callers := r.setup.Strategies[s.strategy], r.setup.Callers[s.cell]
	all, err := r.booked(ctx, r.strategies[s.strategy].ledger, turn{
		Strategy: name, Callers: callers, Keys: r.setup.Keys, Slice: r.setup.slice(), Seed: uint64(s.round) << 32,
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s, %d callers: %w", name, callers*r.setup.Processes, err)
	case s.round > 0:
		r.totals[s.cell][s.strategy].add(all, r.setup.slice())
	}
	return nil
}

// booked has all crews take the turn, and looks whether the rows show what they report, and the ledger, if there is
// one.
func (r *run) booked(ctx context.Context, g *ledger, t turn) ([]tally, error) {
	all, err := r.everybody(ctx, t)
	if err != nil {
		return nil, err
	}
	reported := map[uint64]int64{}
	for i := range all {
		for key, n := range all[i].Keys {
			reported[key] += n
		}
	}
	if err := r.books.check(ctx, reported); err != nil || g == nil {
		return all, err
	}
	return all, g.close(ctx, r.db, reported)
}

// everybody has all crews take the turn at the same time. The first error ends it for all of them.
func (r *run) everybody(ctx context.Context, t turn) ([]tally, error) {
	t.Start = time.Now()
	if r.setup.Processes > 1 {
		t.Start = t.Start.Add(lead)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	all := make([]tally, len(r.crews))
	var wg sync.WaitGroup
	for i, c := range r.crews {
		t.Seed++
		mine := t
		wg.Go(func() {
			var err error
			if all[i], err = c.take(ctx, mine); err != nil {
				stop(err)
			}
		})
	}
	wg.Wait()
	return all, context.Cause(ctx)
}

func (r *run) report() Report {
	s := r.setup
	report := Report{
		Processes: s.Processes, Pool: s.Pool, Keys: s.Keys, RTT: s.RTT, Duration: s.Duration, Rounds: s.Rounds,
	}
	for i, callers := range s.Callers {
		cell := Cell{Callers: callers, Commit: r.commit[i]}
		for j, name := range s.Strategies {
			cell.Results = append(cell.Results, r.totals[i][j].result(name))
		}
		report.Cells = append(report.Cells, cell)
	}
	return report
}
