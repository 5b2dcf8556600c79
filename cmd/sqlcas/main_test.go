package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

func TestMain(m *testing.M) {
	if os.Getenv(playEnv) != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(mysqltest.Main(m))
}

// Ensures that a command that there is not is an error that names those it may have been, so that no check passes
// because it was misspelt; and that sqlcas alone says what there is.
func TestCommandsThatThereAreNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args           []string
		code           int
		out, complaint string
	}{
		{args: []string{"vett", "./..."}, code: exitError, complaint: "Did you mean this?\n\tvet"},
		{args: []string{"frob"}, code: exitError, complaint: `unknown command "frob"`},
		{args: []string{"migrate", "nope"}, code: exitError, complaint: "nope"},
		{out: "sqlcas makes compare-and-swap"},
		{args: []string{"help"}, out: "sqlcas makes compare-and-swap"},
		{args: []string{"--version"}, out: "sqlcas "},
	} {
		code, out, complaints := sqlcas(c.args...)
		require.Equal(t, c.code, code, "%q: %s", c.args, complaints)
		require.True(t, strings.HasPrefix(out, c.out), out)
		require.Contains(t, complaints, c.complaint)
	}
}
