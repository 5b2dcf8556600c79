package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that explain tells of one rule, lists all, writes the document, and answers a wrong ID by near ones.
func TestExplain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args      []string
		code      int
		out       string
		complaint string
	}{
		{args: []string{"explain", "cas001"}, out: "CAS001: unversioned write"},
		{args: []string{"explain"}, out: "CAS001  unversioned write\n"},
		{args: []string{"explain", "--markdown"}, out: "# Rules of sqlcas vet"},
		{args: []string{"explain", "CAS0001"}, code: exitError, complaint: "did you mean CAS001"},
		{args: []string{"explain", "CAS001", "CAS002"}, code: exitError, complaint: "arg"},
		{args: []string{"explain", "--markdown", "CAS001"}, code: exitError, complaint: "leave the rule away"},
	} {
		code, out, complaints := sqlcas(c.args...)
		require.Equal(t, c.code, code, complaints)
		require.True(t, strings.HasPrefix(out, c.out), out)
		require.Contains(t, complaints, c.complaint)
	}
}
