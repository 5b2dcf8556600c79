package conformance

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// plantedEnv tells a process of this test which bug to hold against the contract.
const plantedEnv = "SQLCAS_CONFORMANCE_PLANT"

// plantBound is how long the contract may take with a bug in it.
const plantBound = 2 * time.Minute

// Ensures that the contract of the Stores is one that a Store can fail: each of three planted bugs fails
// it, in the clauses that are there for it, and passes those that are not. The contract is run in a process
// of its own for each, on one server in one mode, and once for a Store without a bug, which must pass.
func TestContractFindsPlantedBugs(t *testing.T) {
	t.Parallel()
	server := mysqltest.Servers(t)[0]
	if name := os.Getenv(plantedEnv); name != "" {
		i := slices.IndexFunc(plants, func(p planted) bool { return p.name == name })
		require.GreaterOrEqual(t, i, 0, "%s=%s", plantedEnv, name)
		suite(t, classicCell(t, server).stocked(t), plants[i].clauses())
		return
	}
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			failed, held := failures(t, server, p.name)
			t.Logf("%d clauses held, and these failed: %q", len(held), failed)
			require.Subset(t, failed, p.found)
			require.Subset(t, held, p.spared)
			require.Equal(t, len(p.found) > 0, len(failed) > 0)
		})
	}
}

// classicCell is a cell in which a lost swap is 0 rows, and an old snapshot stays as it is. Rivals have
// less patience than in others, since some bugs keep locks that stop them.
func classicCell(t *testing.T, s *mysqltest.Server) *env {
	t.Helper()
	e := newEnv(t, s, mode{interpolate: true}, false)
	e.other = e.impatient(t).db
	if e.snapshot {
		e.snapshot = false
		setParam(e.cfg, snapshotVariable, "OFF")
		e = e.with(open(t, e.cfg.Clone(), 8))
	}
	return e
}

// verdictLine is what `go test -v` says about a clause.
var verdictLine = regexp.MustCompile(`^\s*--- (FAIL|PASS): TestContractFindsPlantedBugs/([^/]+) \(`)

// failures holds the planted bug against the contract in a process of its own, and returns the clauses
// that failed and that held.
func failures(t *testing.T, s *mysqltest.Server, name string) (failed, held []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), plantBound)
	defer cancel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, self, "-test.run=^TestContractFindsPlantedBugs$", "-test.v", "-test.count=1")
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "SQLCAS_TEST_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, plantedEnv+"="+name, "SQLCAS_TEST_DSNS="+s.Name+"="+s.RootDSN())
	out, err := cmd.CombinedOutput()
	require.NoError(t, ctx.Err(), "the contract did not end; it said:\n%s", out)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		verdict := verdictLine.FindStringSubmatch(lines.Text())
		if verdict == nil {
			continue
		}
		if clause := strings.ReplaceAll(verdict[2], "_", " "); verdict[1] == "PASS" {
			held = append(held, clause)
		} else {
			failed = append(failed, clause)
		}
	}
	if exit, ended := err.(*exec.ExitError); err != nil {
		require.True(t, ended, "%v", err)
		require.Equal(t, 1, exit.ExitCode(), "the process said:\n%s", out)
	}
	require.Equal(t, err != nil, len(failed) > 0, "the process said:\n%s", out)
	return failed, held
}
