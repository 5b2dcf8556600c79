package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// plan is what to measure, and for how long.
type plan struct {
	harness, store []string      // arguments
	before         time.Duration // that harness and store take on a server
	jobs           []job
}

// job is a run of sqlcas bench on each server.
type job struct {
	name  string
	about string
	args  []string
	takes time.Duration // on one server, about; callers that wait for the slowest strategies included
}

// Names of the jobs.
const (
	curve    = "curve"
	hot      = "hot"
	thousand = "thousand"
	four     = "four"
	eight    = "eight"

	entries     = "ledger"
	fourEntries = "four-ledger"
)

// planned is the whole, which takes about 27 minutes on three servers, or a trial.
func planned(quick bool) plan {
	two := []string{"--strategies", "for-update,store"}
	ledgers := []string{"--strategies", forUpdateLedger + "," + ledger}
	timed := func(duration, rounds string, args ...string) []string {
		if quick {
			duration, rounds = "300ms", "1"
		}
		return append(args, "--duration", duration, "--rounds", rounds)
	}
	numbers := "1,4,16,64,256"
	p := plan{before: 90 * time.Second}
	if quick {
		numbers = "1,16"
		p = plan{
			harness: []string{"-rounds", "1", "-pairs", "10"},
			store:   []string{"-rounds", "1", "-pairs", "10", "-slice", "20ms"}, before: 3 * time.Second,
		}
	}
	p.jobs = []job{
		{curve, "one row, 1 to 256 callers", timed("2100ms", "3", "--callers", numbers), 150 * time.Second},
		{hot, "one row, 64 callers", timed("5s", "5", "--callers", "64"), 54 * time.Second},
		{thousand, "one row, 1,024 callers", append(timed("5s", "5", "--callers", "1024"), two...), 25 * time.Second},
		{four, "one row, 4 processes", append(timed("30s", "5", "--callers", "32", "--processes", "4"), two...), 77 * time.Second},
		{eight, "one row, 8 processes", append(timed("30s", "5", "--callers", "32", "--processes", "8"), two...), 77 * time.Second},
		{
			entries, "one row and a ledger, 64 callers",
			append(timed("5s", "5", "--callers", "64"), ledgers...), 16 * time.Second,
		},
		{
			fourEntries, "one row and a ledger, 4 processes",
			append(timed("7500ms", "5", "--callers", "32", "--processes", "4"), ledgers...), 24 * time.Second,
		},
	}
	if quick {
		for i := range p.jobs {
			p.jobs[i].takes = 4 * time.Second
		}
	}
	return p
}

// announce says how long it will take, and with what.
func (p plan) announce(w io.Writer, servers int) {
	total := p.before
	parts := []string{fmt.Sprintf("harness and store %v", p.before)}
	for _, j := range p.jobs {
		total += j.takes
		parts = append(parts, fmt.Sprintf("%s %v", j.about, j.takes))
	}
	fmt.Fprintf(w, "report: this takes about %v; on each of %d servers: %s\n",
		(total * time.Duration(servers)).Round(time.Minute/2), servers, strings.Join(parts, "; "))
}
