package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlcas/sqlcas/bench/internal/paired"
)

// outcome is all that was measured.
type outcome struct {
	Harness, Store, Backoff string // what was printed
	Compared                []storeOutcome
	Servers                 []measured
}

// storeOutcome is what bench/store has written of a server.
type storeOutcome struct {
	Server   string `json:"server"`
	Compared []struct {
		RoundTrip time.Duration `json:"rtt_ns"`
		Work      string        `json:"work"`
		Ratios    paired.Sample `json:"ratios"`
	} `json:"compared"`
}

// measured is what sqlcas bench has found on a server.
type measured struct {
	Name string
	Runs map[string]hotRun // by the job's name
}

// hotRun is a run of sqlcas bench: what it printed, and what it wrote.
type hotRun struct {
	Text   string
	Report report
}

// report is what of the JSON of sqlcas bench is looked at. internal/hotrow has all of it.
type report struct {
	Command string    `json:"command"`
	Started time.Time `json:"started"`
	Machine struct {
		CPU  string `json:"cpu"`
		CPUs int    `json:"cpus"`
		OS   string `json:"os"`
		Arch string `json:"arch"`
		Go   string `json:"go"`
	} `json:"machine"`
	Server struct {
		Version  string `json:"version"`
		Durable  bool   `json:"durable"`
		Settings []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"settings"`
	} `json:"server"`
	Processes int    `json:"processes"`
	Cells     []cell `json:"cells"`
}

type cell struct {
	Callers int             `json:"callers"`
	Commit  []time.Duration `json:"commit_ns"`
	Results []result        `json:"results"`
}

type result struct {
	Strategy string        `json:"strategy"`
	Rates    paired.Sample `json:"rates"`
	Latency  []struct {
		Part float64       `json:"part"`
		Time time.Duration `json:"ns"`
	} `json:"latency"`
	Fewest int64 `json:"fewest_by_caller"`
	Most   int64 `json:"most_by_caller"`
}

// strategy returns what one strategy came to in a report of one number of callers.
func (r report) strategy(name string) (result, error) {
	if len(r.Cells) != 1 {
		return result{}, fmt.Errorf("%s: got %d numbers of callers, want 1", r.Command, len(r.Cells))
	}
	all := r.Cells[0].Results
	i := slices.IndexFunc(all, func(res result) bool { return res.Strategy == name })
	if i < 0 || len(all[i].Rates) == 0 {
		return result{}, fmt.Errorf("%s: it has not measured %q", r.Command, name)
	}
	return all[i], nil
}

// bound is the updates a second if each commit had one of every caller, and took what it takes a caller alone.
func (r report) bound() (float64, error) {
	var seconds paired.Sample
	for _, took := range r.Cells[0].Commit {
		seconds = append(seconds, took.Seconds())
	}
	if len(seconds) == 0 || seconds.Median() <= 0 {
		return 0, fmt.Errorf("%s: it has not measured what a commit takes", r.Command)
	}
	return float64(r.Processes*r.Cells[0].Callers) / seconds.Median(), nil
}

// within is the time within which a part of the updates were done.
func (res result) within(part float64) time.Duration {
	for _, q := range res.Latency {
		if q.Part == part {
			return q.Time
		}
	}
	return 0
}

// by are the ratios to another strategy, round by round. A round in which that one did nothing has none.
func (res result) by(base result) (paired.Sample, error) {
	var ratios paired.Sample
	for i := range min(len(res.Rates), len(base.Rates)) {
		if base.Rates[i] > 0 {
			ratios = append(ratios, res.Rates[i]/base.Rates[i])
		}
	}
	if len(ratios) == 0 {
		return nil, fmt.Errorf("there is no round to set %s beside %s", res.Strategy, base.Strategy)
	}
	return ratios, nil
}

// MariaDB reports whether the server is one.
func (m measured) MariaDB() bool {
	return strings.Contains(m.Runs[hot].Report.Server.Version, "MariaDB")
}

// Title is the server's name and version.
func (m measured) Title() string {
	number, _, _ := strings.Cut(m.Runs[hot].Report.Server.Version, "-")
	if m.MariaDB() {
		return "MariaDB " + number
	}
	return "MySQL " + number
}
