package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// programs stand in for those that measure: they write what they would, made up.
type programs struct {
	mu       sync.Mutex
	ran      []*exec.Cmd
	fails    string  // the program that does
	stores   float64 // updates a second of the Store on one row; FOR UPDATE makes 100, one UPDATE 200
	versions map[string]string
}

func (p *programs) start(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ran = append(p.ran, cmd)
	name := filepath.Base(cmd.Path)
	if name == p.fails {
		return fmt.Errorf("exit status 1")
	}
	switch name {
	case "harness":
		fmt.Fprintln(cmd.Stdout, "what harness prints")
	case "store":
		fmt.Fprintln(cmd.Stdout, "what store prints")
		return p.store(argument(cmd, "-json"))
	case "sqlcas":
		fmt.Fprintf(cmd.Stdout, "what %s prints\n", kind(cmd))
		svg := argument(cmd, "--svg")
		for _, path := range []string{svg, strings.TrimSuffix(svg, ".svg") + "-latency.svg"} {
			if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o644); err != nil {
				return err
			}
		}
		if !slices.Contains(cmd.Args, "--simulate") {
			return os.WriteFile(argument(cmd, "--json"), []byte(p.report(cmd)), 0o644)
		}
	}
	return nil
}

// argument is what follows a flag.
func argument(cmd *exec.Cmd, flag string) string {
	if i := slices.Index(cmd.Args, flag); i >= 0 {
		return cmd.Args[i+1]
	}
	return ""
}

// kind says what a run of sqlcas bench measures.
func kind(cmd *exec.Cmd) string {
	text := fmt.Sprintf("bench of %s callers, %s processes", argument(cmd, "--callers"), max(argument(cmd, "--processes"), "1"))
	if enters(cmd) {
		text += ", with a ledger"
	}
	return text
}

// enters reports whether a run measures the strategies that have a ledger.
func enters(cmd *exec.Cmd) bool {
	return argument(cmd, "--strategies") == forUpdateLedger+","+ledger
}

// store writes what bench/store would.
func (p *programs) store(path string) error {
	var all []string
	for name := range p.versions {
		all = append(all, fmt.Sprintf(`{"server": %q, "compared": [
			{"rtt_ns": 1000000, "work": "quiet row", "ratios": [0.1]},
			{"rtt_ns": 0, "work": "quiet row", "ratios": [0.98, 0.97, 0.99]},
			{"rtt_ns": 0, "work": "64 callers, 10000 rows", "ratios": [0.9499, 0.9499, 0.9499]}]}`, name))
	}
	return os.WriteFile(path, []byte("["+strings.Join(all, ",")+"]"), 0o644)
}

// report is the JSON of sqlcas bench, 64 callers for whom a commit takes 1 ms, with the strategies of its kind.
func (p *programs) report(cmd *exec.Cmd) string {
	name := strings.Split(filepath.Base(argument(cmd, "--json")), "-")[0]
	processes := max(argument(cmd, "--processes"), "1")
	one := func(strategy string, rate, tail float64) string {
		return fmt.Sprintf(`{"strategy": %q, "rates": [%v, %v, %v], "fewest_by_caller": 100, "most_by_caller": 129,
			"latency": [{"part": 0.5, "ns": 1000}, {"part": 0.99, "ns": %v}]}`, strategy, rate, rate*1.1, rate*0.9, tail*1000)
	}
	results := strings.Join([]string{one(forUpdate, 100, 2), one(delta, 200, 2), one(store, p.stores, 3.01)}, ",")
	if enters(cmd) {
		results = one(forUpdateLedger, 50, 2) + "," + one(ledger, p.stores/20, 2)
	}
	return fmt.Sprintf(`{"command": "sqlcas %s", "started": "2026-01-02T03:04:05Z", "processes": %s,
		"machine": {"cpu": "Imaginary 9000", "cpus": 2, "os": "linux", "arch": "amd64", "go": "go1.26"},
		"server": {"version": %q, "durable": true, "settings": [{"name": "sync_binlog", "value": "1"}]},
		"cells": [{"callers": 64, "commit_ns": [1000000, 900000, 5000000], "results": [%s]}]}`,
		kind(cmd), processes, p.versions[name], results)
}

// measureAll runs everything with made-up programs, and returns the folder of the page and what was told.
func measureAll(t *testing.T, p *programs, args ...string) (docs, told string, err error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	docs = t.TempDir()
	var b strings.Builder
	err = run(t.Context(), append([]string{"-out", docs}, args...), twoServers, io.Discard, &b, p.start)
	return docs, b.String(), err
}
