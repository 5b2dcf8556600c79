package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

const (
	pageName = "benchmarks.md"
	pictures = "benchmarks" // folder beside it
)

//go:embed page.md.tmpl
var pageText string

// page is what the template shows.
type page struct {
	Date, CPUs, Machine     string
	Trial                   bool
	Met, Aimed              int
	Targets                 []targetLine
	Servers                 []serverPart
	Store, Harness, Backoff string
}

type targetLine struct {
	Work, What, Wanted string
	Cells              []string // one for each server
}

type serverPart struct {
	Name, Title, Settings string
	Durable               bool
	Runs                  []runPart
}

type runPart struct{ Command, Text string }

// composed makes the page's contents of what was measured. Something that is missing is an error.
func composed(all outcome, trial bool) (page, error) {
	first := all.Servers[0].Runs[hot].Report
	p := page{
		Trial: trial, Date: first.Started.UTC().Format("2 January 2006"), CPUs: fmt.Sprintf("%d CPUs", first.Machine.CPUs),
		Machine: strings.TrimPrefix(fmt.Sprintf("%s, %d CPUs, %s/%s, %s.", first.Machine.CPU, first.Machine.CPUs,
			first.Machine.OS, first.Machine.Arch, first.Machine.Go), ", "),
		Store: all.Store, Harness: all.Harness, Backoff: all.Backoff,
	}
	for _, t := range targets() {
		line := targetLine{Work: t.work, What: t.what, Wanted: t.wanted()}
		for _, m := range all.Servers {
			got, err := t.got(all, m)
			if err != nil {
				return p, fmt.Errorf("%s: %w", m.Name, err)
			}
			text, aimed, met := t.verdict(got, t.limit(m))
			line.Cells = append(line.Cells, text)
			p.Aimed += count(aimed)
			p.Met += count(met)
		}
		p.Targets = append(p.Targets, line)
	}
	for _, m := range all.Servers {
		p.Servers = append(p.Servers, m.part())
	}
	return p, nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// part is a server's part of the page, with its runs in the order of the plan.
func (m measured) part() serverPart {
	server := m.Runs[hot].Report.Server
	s := serverPart{Name: m.Name, Title: m.Title(), Durable: server.Durable}
	var settings []string
	for _, v := range server.Settings {
		settings = append(settings, fmt.Sprintf("`%s = %s`", v.Name, v.Value))
	}
	s.Settings = strings.Join(settings, ", ")
	for _, j := range planned(false).jobs {
		run := m.Runs[j.name]
		s.Runs = append(s.Runs, runPart{Command: run.Report.Command, Text: run.Text})
	}
	return s
}

// write writes the page.
func (p page) write(w io.Writer) error {
	t, err := template.New(pageName).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// publish writes the page and its pictures into a folder, once all of it is there.
func publish(docs, work string, all outcome, trial bool) error {
	p, err := composed(all, trial)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := p.write(&text); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(docs, pictures), 0o755); err != nil {
		return err
	}
	copies := map[string]string{"backoff.svg": "backoff.svg"}
	for _, m := range all.Servers {
		copies[m.Name+".svg"] = m.Name + "-" + curve + ".svg"
		copies[m.Name+"-latency.svg"] = m.Name + "-" + hot + "-latency.svg"
	}
	for to, from := range copies {
		picture, err := os.ReadFile(filepath.Join(work, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, pictures, to), picture, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(docs, pageName), []byte(text.String()), 0o644)
}
