package casgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Rules of the generator's own, beside those of sqlcheck.
const (
	ruleSchema = "schema" // a table that sqlc has understood otherwise
	ruleQuery  = "@cas"   // a query marked @cas that is not what its descriptor needs
	ruleLost   = "CAS030" // sqlc sees other parameters than are written
)

// Refusal is the error of Generate for faults in the user's files: nothing is generated then.
type Refusal struct {
	Findings []sqlcheck.Finding // at least one, in the order of files and lines
}

// Error names each fault by file, line and column, with its mend on the next line.
func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sqlcas generates nothing before this is mended (%d):", len(r.Findings))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s:%d:%d: %s %s", f.File, f.Line, f.Column, f.Rule, f.Message)
		if f.Mend != "" {
			fmt.Fprintf(&b, "\n    mend: %s", f.Mend)
		}
	}
	return b.String()
}

// refused makes a Refusal of findings, or nil of none. Two of one of sqlcheck's rules at one place say the same.
func refused(findings []sqlcheck.Finding) error {
	findings = slices.CompactFunc(sqlcheck.Sort(findings), samePlace)
	if len(findings) == 0 {
		return nil
	}
	return &Refusal{Findings: findings}
}

func samePlace(a, b sqlcheck.Finding) bool {
	return a.Rule == b.Rule && a.Rule != optionRule && a.File == b.File && a.Line == b.Line && a.Column == b.Column
}
