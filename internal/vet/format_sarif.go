package vet

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	home        = "https://github.com/sqlcas/sqlcas"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	Name             string       `json:"name"`
	ShortDescription sarifMessage `json:"shortDescription"`
	FullDescription  sarifMessage `json:"fullDescription"`
	Help             sarifHelp    `json:"help"`
	HelpURI          string       `json:"helpUri"`
	Default          sarifLevel   `json:"defaultConfiguration"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int          `json:"startLine"`
	StartColumn int          `json:"startColumn"`
	EndLine     int          `json:"endLine"`
	EndColumn   int          `json:"endColumn"`
	Snippet     sarifMessage `json:"snippet"`
}

// SARIF writes a report in the Static Analysis Results Interchange Format 2.1.0, which code hosts show beside
// the code.
func (r Report) SARIF(w io.Writer) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "sqlcas", InformationURI: home}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	index := map[string]int{}
	for i, rule := range sqlcheck.Rules() {
		index[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSarifRule(rule))
	}
	for _, f := range r.Findings {
		i, known := index[f.Rule]
		if !known {
			return fmt.Errorf("a finding is of rule %s, which is not registered", f.Rule)
		}
		run.Results = append(run.Results, newSarifResult(f, i))
	}
	return writeJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func newSarifRule(rule sqlcheck.Rule) sarifRule {
	var text, markdown strings.Builder
	writeRule(&text, rule)
	writeRuleBody(&markdown, rule)
	return sarifRule{
		ID: rule.ID, Name: camel(rule.Title),
		ShortDescription: sarifMessage{rule.Title},
		FullDescription:  sarifMessage{rule.Why},
		Help:             sarifHelp{text.String(), markdown.String()},
		HelpURI:          home + "/blob/HEAD/docs/rules.md#" + strings.ToLower(rule.ID),
		Default:          sarifLevel{"error"},
	}
}

func newSarifResult(f sqlcheck.Finding, rule int) sarifResult {
	return sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: "error",
		Message: sarifMessage{f.Message + ". Mend: " + f.Mend},
		Locations: []sarifLocation{{sarifPhysical{
			Artifact: newSarifArtifact(f.File),
			Region: sarifRegion{
				StartLine: f.Line, StartColumn: f.Column, EndLine: f.Line, EndColumn: f.Column + f.Length,
				Snippet: sarifMessage{f.Excerpt},
			},
		}}},
	}
}

// newSarifArtifact makes a reference of a file's name: relative to the sources' root if it can be.
func newSarifArtifact(file string) sarifArtifact {
	path := filepath.ToSlash(file)
	if !filepath.IsAbs(file) {
		return sarifArtifact{URI: (&url.URL{Path: path}).String(), URIBaseID: "%SRCROOT%"}
	}
	if !strings.HasPrefix(path, "/") { // C:/...
		path = "/" + path
	}
	return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: path}).String()}
}

// camel makes a rule's title the name that the format wants: UnversionedWrite.
func camel(title string) string {
	var name strings.Builder
	for _, word := range strings.FieldsFunc(title, func(r rune) bool { return r < '0' || r > 'z' || r > '9' && r < 'A' || r > 'Z' && r < 'a' }) {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}
