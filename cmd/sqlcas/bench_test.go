package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/backoffsim"
	"github.com/sqlcas/sqlcas/internal/hotrow"
	defaults "github.com/sqlcas/sqlcas/internal/settings"
)

// ran is one run of bench by itself.
type ran struct {
	err             error
	out, complaints string
}

// code is the exit code that the run ends with.
func (r ran) code() int {
	var f failure
	switch {
	case r.err == nil:
		return 0
	case errors.As(r.err, &f):
		return f.code
	}
	return exitError
}

// bench runs a command line of bench with something else than hotrow.Run.
func bench(ctx context.Context, measure measurer, args ...string) ran {
	c := benchCommand(measure)
	c.SilenceErrors, c.SilenceUsage = true, true
	return execute(ctx, c, args)
}

func execute(ctx context.Context, c *cobra.Command, args []string) ran {
	var out, complaints strings.Builder
	c.SetArgs(append([]string{}, args...)) // for nil it takes those of this process
	c.SetOut(&out)
	c.SetErr(&complaints)
	err := c.ExecuteContext(ctx)
	return ran{err: err, out: out.String(), complaints: complaints.String()}
}

// unasked fails the test if something is measured.
func unasked(t *testing.T) measurer {
	return func(context.Context, hotrow.Setup) (hotrow.Report, error) {
		t.Error("it has begun to measure")
		return hotrow.Report{}, nil
	}
}

// nowhere is a DSN of no server: nobody listens on port 1.
const nowhere = "--dsn=root@tcp(127.0.0.1:1)/"

// Ensures that a command line which makes no sense is refused before a server is asked for, by an error that names
// the flag and what to write instead.
func TestBenchRefusesFlags(t *testing.T) {
	t.Setenv(dsnEnv, "")
	missing := filepath.Join(t.TempDir(), "missing", "x")
	for _, tc := range []struct{ args, want string }{
		{"", "--dsn 'user:password@tcp(host:3306)/'"},
		{"", "--throwaway"},
		{nowhere + " --throwaway", "leave one of them away"},
		{"--throwaway=oracle", "mysql97, mariadb1011, mariadb118"},
		{"--throwaway oracle", `there is no "oracle"`},
		{nowhere + " 64", "takes flags alone"},
		{"--dsn=nonsense", "write it as 'user:password@tcp(host:3306)/'"},
		{nowhere + " --callers 0", "--callers 0: give"},
		{nowhere + " --callers 1,-4", "--callers -4: give"},
		{nowhere + " --callers 1,4,1", "--callers has 1 twice"},
		{nowhere + " --callers=", "--callers"},
		{nowhere + " --callers many", "--callers many: give numbers from 1 to 100000"},
		{nowhere + " --callers 1,", "a comma has nothing before or behind it"},
		{nowhere + " --callers 100001", "--callers 100001: give numbers from 1 to 100000"},
		{nowhere + " --callers 99999999999999999999", "give numbers from 1 to 100000"},
		{nowhere + " --processes 0", "--processes 0: give at least 1"},
		{nowhere + " --keys 0", "--keys 0: give at least 1"},
		{nowhere + " --rounds 0", "--rounds 0: give at least 1"},
		{nowhere + " --rounds 9223372036854775807", "and at most 1000"},
		{nowhere + " --processes 257", "and at most 256"},
		{nowhere + " --keys 1000001", "and at most 1000000"},
		{nowhere + " --duration 61m", "give at most 1h0m0s"},
		{nowhere + " --pool 1", "--pool 1: give at least 2"},
		{nowhere + " --rtt=-1ms", "--rtt -1ms: give 0"},
		{nowhere + " --rtt=100us", "--rtt 100µs: give whole milliseconds"},
		{nowhere + " --rtt=1.5ms", "give whole milliseconds"},
		{nowhere + " --rtt=1001ms", "at most 1s"},
		{nowhere + " --duration 499ms", "give at least --duration 500ms"},
		{nowhere + " --duration 1s --rounds 20", "give at least --duration 2s"},
		{nowhere + " --strategies store,hope", `there is no "hope": choose from cas`},
		{nowhere + " --strategies store,all", `there is no "all": choose from cas`},
		{nowhere + " --strategies store,store", `has "store" twice`},
		{nowhere + " --strategies=", "--strategies is empty"},
		{nowhere + " --strategies store,", "a comma has nothing before or behind it"},
		{nowhere + " --throwaway=", "--throwaway= names no server: write --throwaway=mysql97"},
		{nowhere + " --svg x.png", "a name that ends in .svg"},
		{nowhere + " --svg hot", "a name that ends in .svg"},
		{nowhere + " --json x.svg --svg ./x.svg", "--json x.svg and --svg ./x.svg would both write ./x.svg"},
		{nowhere + " --json x-latency.svg --svg x.svg", "would both write x-latency.svg"},
		{nowhere + " --svg " + missing + ".svg", "--svg cannot be written"},
		{nowhere + " --json " + missing + ".json", "--json cannot be written"},
		{"--simulate --throwaway", "leave --throwaway away, or --simulate"},
		{"--simulate --callers 4", "leave --callers away"},
		{"--simulate " + nowhere, "leave --dsn away"},
		{"--simulate --svg x.png", "a name that ends in .svg"},
		{"--simulate --svg " + missing + ".svg", "--svg cannot be written"},
	} {
		r := bench(t.Context(), unasked(t), strings.Fields(tc.args)...)
		require.ErrorContains(t, r.err, tc.want, tc.args)
		require.Equal(t, exitError, r.code(), tc.args)
		require.Empty(t, r.out, tc.args)
	}
}

// Ensures that the address may come from the environment, where other users of the machine do not see it, and
// that the error of a server which does not answer says so.
func TestBenchTakesTheAddressFromTheEnvironment(t *testing.T) {
	t.Setenv(dsnEnv, "root:secret@tcp(127.0.0.1:1)/")
	r := bench(t.Context(), unasked(t))
	require.ErrorContains(t, r.err, "127.0.0.1:1")
	require.NotContains(t, r.err.Error(), "secret")
}

// Ensures that the help names each strategy, the exit codes, and what becomes of the database.
func TestBenchHelp(t *testing.T) {
	t.Parallel()
	code, out, complaints := sqlcas("bench", "--help")
	require.Zero(t, code, complaints)
	for _, s := range slices.Concat(hotrow.Strategies(), hotrow.LedgerStrategies()) {
		require.Contains(t, out, "  "+s.Name+" ")
		require.Contains(t, out, s.About)
	}
	for _, want := range []string{"Exit codes: 0 done, 1 an update was lost", "is ignored", "drops it", "SQLCAS_DSN='"} {
		require.Contains(t, out, want)
	}
	require.Contains(t, out, fmt.Sprintf("jitter from %d ms to %d ms", // the study's full jitter is another one
		defaults.DefaultBaseDelay.Milliseconds(), defaults.DefaultMaxDelay.Milliseconds()))
	_, out, _ = sqlcas("--help")
	require.Contains(t, out, "  bench ")
	require.NotContains(t, out, workerName)
}

// Ensures that the report repeats what was asked for, and nothing that names a server, a password or a file; and that
// lists may have blanks in them, and be given in several parts.
func TestBenchReportsItsCommandLine(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		nowhere + "|--callers|1,4|--json|x|--svg|x.svg": "sqlcas bench --callers 1,4",
		"--throwaway|--rtt|1ms|--strategies|store":      "sqlcas bench --throwaway --rtt 1ms --strategies store",
		"--throwaway|mariadb118|--keys|3":               "sqlcas bench --throwaway=mariadb118 --keys 3",
		"--throwaway|--strategies|store , delta|--callers| 1, 4|--callers|16": "sqlcas bench --throwaway " +
			"--callers 1,4,16 --strategies store,delta",
	} {
		o := benchOptions{}
		c := &cobra.Command{Use: "bench", Run: func(c *cobra.Command, args []string) { require.NoError(t, o.check(c, args)) }}
		o.flags(c)
		require.NoError(t, execute(t.Context(), c, strings.Split(args, "|")).err)
		require.Equal(t, want, o.command)
	}
}

// Ensures that "all" are the strategies that do the same, and that those with a ledger can be chosen by name.
func TestBenchMeasuresLedgersByName(t *testing.T) {
	t.Parallel()
	o := benchOptions{strategies: []string{"all"}}
	require.NoError(t, o.checkStrategies())
	require.Equal(t, []string{"cas", "cas-jitter", "queue", "for-update", "delta", "store", "pessimistic"}, o.strategies)
	o.strategies = []string{"for-update-ledger", "ledger", "store"}
	require.NoError(t, o.checkStrategies())
	require.Equal(t, []string{"for-update-ledger", "ledger", "store"}, o.strategies)
	o.strategies = []string{"ledgers"}
	require.ErrorContains(t, o.checkStrategies(), "pessimistic, for-update-ledger, ledger, or write all alone")
}

// Ensures that the time which a run is said to take counts the round that warms up and every number of callers.
func TestBenchSaysHowLongItTakes(t *testing.T) {
	t.Parallel()
	o := benchOptions{
		callers: []int{1, 4}, rounds: 4, duration: 8 * time.Second, strategies: []string{"cas", "store"},
	}
	require.Equal(t, 43*time.Second, o.expected()) // 2 numbers x 5 rounds x (2 strategies x 2 s + 0.25 s)
}

// Ensures that the simulation prints its table, draws it, and needs no server.
func TestBenchSimulates(t *testing.T) {
	t.Parallel()
	svg := filepath.Join(t.TempDir(), "backoff.svg")
	o := benchOptions{simulate: true, svg: svg, clients: []int{10, 100}}
	var out, complaints strings.Builder
	require.NoError(t, o.run(t.Context(), &out, &complaints))
	for _, model := range []backoffsim.Model{backoffsim.Study, backoffsim.OneAtATime} {
		require.Contains(t, out.String(), model.Title()+"; averages of 20 trials\n")
	}
	require.Regexp(t, `(?m)^ +100 `, out.String())
	require.Empty(t, complaints.String())
	requireSVG(t, svg)
}

func requireSVG(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "<svg")
	require.True(t, strings.HasSuffix(strings.TrimSpace(string(text)), "</svg>") || strings.HasSuffix(string(text), "/>"), path)
}

// Ensures that a server counts as durable only if InnoDB's log and the binary log, where there is one, are.
func TestBenchKnowsDurableServers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		flush, binlog, sync, method string
		want                        bool
	}{
		{"1", "ON", "1", "O_DIRECT", true},
		{"1", "OFF", "0", "fsync", true},
		{"2", "OFF", "1", "fsync", false},
		{"1", "ON", "0", "fsync", false},
		{"1", "ON", "100", "fsync", false},
		{"1", "OFF", "1", "nosync", false},
	} {
		known := map[string]string{
			"innodb_flush_log_at_trx_commit": tc.flush, "log_bin": tc.binlog, "sync_binlog": tc.sync,
			"innodb_flush_method": tc.method,
		}
		require.Equal(t, tc.want, durable(known), "%+v", tc)
	}
}

// decoded reads a report's JSON, and requires that all of it is understood.
func decoded(t *testing.T, text string) hotrow.Report {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var r hotrow.Report
	require.NoError(t, d.Decode(&r))
	return r
}
