package vet

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Explain writes what a rule says of itself. The error for an ID that does not exist has those that are near.
func Explain(w io.Writer, id string) error {
	rule, ok := sqlcheck.RuleOf(id)
	if !ok {
		return fmt.Errorf("there is no rule %s: did you mean %s? sqlcas explain lists all of them", id, near(id))
	}
	var text strings.Builder
	writeRule(&text, rule)
	_, err := io.WriteString(w, text.String())
	return err
}

// List writes the IDs and titles of all rules as a table.
func List(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, rule := range sqlcheck.Rules() {
		fmt.Fprintf(table, "%s\t%s\n", rule.ID, rule.Title)
	}
	return table.Flush()
}

func writeRule(w *strings.Builder, rule sqlcheck.Rule) {
	fmt.Fprintf(w, "%s: %s\n\n%s\n\n", rule.ID, rule.Title, wrap(rule.Why))
	fmt.Fprintf(w, "Bad:\n\n%s\n\nGood:\n\n%s\n\n", indent(rule.Bad), indent(rule.Good))
	fmt.Fprintf(w, "Mend: %s\n", strings.TrimPrefix(wrap("Mend: "+rule.Mend), "Mend: "))
}

func indent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "    " + line
		}
	}
	return strings.Join(lines, "\n")
}

// lineLength is how long lines of prose are at most.
const lineLength = 100

// wrap breaks a paragraph into lines.
func wrap(text string) string {
	var out strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		switch n := len([]rune(word)); {
		case length == 0:
			length = n
		case length+1+n > lineLength:
			out.WriteByte('\n')
			length = n
		default:
			out.WriteByte(' ')
			length += 1 + n
		}
		out.WriteString(word)
	}
	return out.String()
}

// near names the three IDs that are most like a mistyped one.
func near(id string) string {
	id = strings.ToUpper(id)
	var ids []string
	for _, rule := range sqlcheck.Rules() {
		ids = append(ids, rule.ID)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return distance(id, a) - distance(id, b) })
	ids = ids[:min(3, len(ids))]
	if len(ids) < 2 {
		return strings.Join(ids, "")
	}
	return strings.Join(ids[:len(ids)-1], ", ") + " or " + ids[len(ids)-1]
}

// distance is how many letters have to be added, taken away or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Markdown writes the rules as a document: docs/rules.md.
func Markdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString(preface)
	out.WriteString("\n| rule | finds |\n|---|---|\n")
	for _, rule := range sqlcheck.Rules() {
		fmt.Fprintf(out, "| [%s](#%s) | %s |\n", rule.ID, strings.ToLower(rule.ID), rule.Title)
	}
	for _, rule := range sqlcheck.Rules() {
		var body strings.Builder
		writeRuleBody(&body, rule)
		fmt.Fprintf(out, "\n## %s\n\n**%s.** %s", rule.ID, capital(rule.Title), body.String())
	}
	return out.Flush()
}

// writeRuleBody writes all of a rule but its headline as Markdown.
func writeRuleBody(w *strings.Builder, rule sqlcheck.Rule) {
	fence := func(text string) string {
		return fmt.Sprintf("```%s\n%s\n```\n", rule.Lang, strings.Trim(text, "\n"))
	}
	fmt.Fprintf(w, "%s\n\nBad:\n\n%s\nGood:\n\n%s\nMend: %s\n", rule.Why, fence(rule.Bad), fence(rule.Good), rule.Mend)
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
