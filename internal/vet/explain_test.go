package vet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Ensures that docs/rules.md is what the rules say of themselves.
func TestRulesDocument(t *testing.T) {
	t.Parallel()
	golden(t, "../../docs/rules.md", written(t, func(b *strings.Builder) error { return Markdown(b) }))
}

// Ensures that each rule is explained in full, and that its ID may be written in any case.
func TestExplain(t *testing.T) {
	t.Parallel()
	for _, rule := range sqlcheck.Rules() {
		text := written(t, func(b *strings.Builder) error { return Explain(b, strings.ToLower(rule.ID)) })
		require.True(t, strings.HasPrefix(text, rule.ID+": "+rule.Title+"\n"), text)
		flat := strings.Join(strings.Fields(text), " ")
		for _, part := range []string{rule.Why, rule.Bad, rule.Good, rule.Mend} {
			require.NotEmpty(t, part, rule.ID)
			require.Contains(t, flat, strings.Join(strings.Fields(part), " "), rule.ID)
		}
		for _, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "    ") {
				require.LessOrEqual(t, len([]rune(line)), lineLength+len("Mend: "), rule.ID)
			}
		}
	}
}

// Ensures that a mistyped ID is answered by those that are like it.
func TestExplainNamesNearRules(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"CAS01": "CAS001", "cas0008": "CAS008", "CAS104": "CAS004", "4": "CAS004"} {
		var b strings.Builder
		err := Explain(&b, id)
		require.ErrorContains(t, err, "there is no rule "+id)
		require.ErrorContains(t, err, want)
		require.Empty(t, b.String())
	}
}

// Ensures that the list has one line a rule, with the titles below each other.
func TestList(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(written(t, func(b *strings.Builder) error { return List(b) })), "\n")
	require.Len(t, lines, len(sqlcheck.Rules()))
	for i, rule := range sqlcheck.Rules() {
		require.Equal(t, rule.ID+"  "+rule.Title, lines[i])
	}
}
