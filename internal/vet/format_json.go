package vet

import (
	"encoding/json"
	"io"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// JSONVersion is the version of what JSON writes. Fields may be added under a version; none goes away or
// changes its meaning.
const JSONVersion = 1

type jsonReport struct {
	Version  int           `json:"version"`
	Findings []jsonFinding `json:"findings"`
	Unknown  []Position    `json:"unknown"`
	Locks    []Position    `json:"locks"`
	Unparsed []Unparsed    `json:"unparsed"`
	Summary  jsonSummary   `json:"summary"`
}

type jsonFinding struct {
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Length  int    `json:"length"`
	Excerpt string `json:"excerpt"`
	Message string `json:"message"`
	Mend    string `json:"mend"`
}

type jsonSummary struct {
	Faults     int `json:"faults"`
	Statements int `json:"statements"`
	Unparsed   int `json:"unparsed"`
	Unknown    int `json:"unknown"`
	Locks      int `json:"locks"`
	Files      int `json:"files"`
	Packages   int `json:"packages"`
	Versioned  int `json:"versioned_tables"`
}

// JSON writes a report as one JSON object. Lists are never null.
func (r Report) JSON(w io.Writer) error {
	report := jsonReport{
		Version: JSONVersion, Findings: []jsonFinding{}, Unknown: append([]Position{}, r.Unknown...), Locks: append([]Position{}, r.Locks...),
		Unparsed: append([]Unparsed{}, r.Unparsed...),
		Summary:  jsonSummary{len(r.Findings), r.Statements, len(r.Unparsed), len(r.Unknown), len(r.Locks), r.Files, r.Packages, r.Versioned},
	}
	for _, f := range r.Findings {
		report.Findings = append(report.Findings, newJSONFinding(f))
	}
	return writeJSON(w, report)
}

func newJSONFinding(f sqlcheck.Finding) jsonFinding {
	return jsonFinding{f.Rule, f.File, f.Line, f.Column, f.Length, f.Excerpt, f.Message, f.Mend}
}

func writeJSON(w io.Writer, value any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false) // it is read as JSON, and <=> is to be searchable
	return out.Encode(value)
}
