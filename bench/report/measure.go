package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/sqlcas/sqlcas/internal/benchdb"
)

// measurer runs the programs that measure.
type measurer struct {
	plan      plan
	work      string // folder for what they write
	out, told io.Writer
	start     starter
}

// patience is how long a program has to remove its databases after an interruption.
const patience = time.Minute

// measure measures everything on all servers.
func (m measurer) measure(ctx context.Context, servers []benchdb.Server) (outcome, error) {
	bin := filepath.Join(m.work, "bin")
	defer func() { _ = os.RemoveAll(bin) }() // in a temporary folder
	if err := m.build(ctx, bin); err != nil {
		return outcome{}, err
	}
	var all outcome
	var err error
	if all.Harness, err = m.run(ctx, nil, filepath.Join(bin, "harness"), m.plan.harness...); err != nil {
		return all, err
	}
	file := filepath.Join(m.work, "store.json")
	args := append([]string{"-json", file}, m.plan.store...)
	if all.Store, err = m.run(ctx, nil, filepath.Join(bin, "store"), args...); err != nil {
		return all, err
	}
	if err = read(file, &all.Compared); err != nil {
		return all, err
	}
	for _, s := range servers {
		measured := measured{Name: s.Name, Runs: map[string]hotRun{}}
		for _, j := range m.plan.jobs {
			fmt.Fprintf(m.told, "report: %s, %s\n", s.Name, j.about)
			if measured.Runs[j.name], err = m.bench(ctx, filepath.Join(bin, "sqlcas"), s, j); err != nil {
				return all, fmt.Errorf("%s, %s: %w", s.Name, j.about, err)
			}
		}
		all.Servers = append(all.Servers, measured)
	}
	all.Backoff, err = m.run(ctx, nil, filepath.Join(bin, "sqlcas"), "bench", "--simulate", "--svg", m.svg("backoff"))
	return all, err
}

// build builds the programs once: go run would build them anew, and hide their exit codes.
func (m measurer) build(ctx context.Context, bin string) error {
	for _, args := range [][]string{
		{"build", "-o", bin + string(filepath.Separator), "./harness", "./store"},
		{"-C", "..", "build", "-o", filepath.Join(bin, "sqlcas"), "./cmd/sqlcas"},
	} {
		if _, err := m.run(ctx, nil, "go", args...); err != nil {
			return fmt.Errorf("%w (run me in the folder bench)", err)
		}
	}
	return nil
}

// bench runs a job on a server.
func (m measurer) bench(ctx context.Context, sqlcas string, s benchdb.Server, j job) (hotRun, error) {
	name := s.Name + "-" + j.name
	file := filepath.Join(m.work, name+".json")
	args := append([]string{"bench", "--json", file, "--svg", m.svg(name)}, j.args...)
	// An argument could be seen by everybody on the machine, with its password.
	text, err := m.run(ctx, []string{"SQLCAS_DSN=" + s.DSN}, sqlcas, args...)
	if err != nil {
		return hotRun{}, err
	}
	run := hotRun{Text: text}
	return run, read(file, &run.Report)
}

// svg is the file of a picture.
func (m measurer) svg(name string) string { return filepath.Join(m.work, name+".svg") }

// run runs a program, and returns what it has printed, which is shown at once, too.
func (m measurer) run(ctx context.Context, env []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, patience
	cmd.Env = append(os.Environ(), env...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&printed, m.out), m.told
	if err := m.start(cmd); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	return printed.String(), nil
}

// read reads a file of JSON.
func read(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
