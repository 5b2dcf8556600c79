package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/hotrow"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// quick are flags of a run that takes no time.
var quick = []string{"--rounds=1", "--duration=100ms", "--strategies=for-update,store", "--callers=2,1", "--pool=4"}

// watched passes setups on to measure, and keeps the last.
type watched struct {
	measure measurer
	setup   hotrow.Setup
}

func (w *watched) run(ctx context.Context, s hotrow.Setup) (hotrow.Report, error) {
	w.setup = s
	return w.measure(ctx, s)
}

var benchDatabase = regexp.MustCompile(`/(sqlcas_bench_\w+)\?`)

// requireGone fails the test if the database that was measured in is still there.
func (w *watched) requireGone(t *testing.T, s *mysqltest.Server) {
	t.Helper()
	name := benchDatabase.FindStringSubmatch(w.setup.DSN)
	require.NotNil(t, name, "a database of its own in %q", w.setup.DSN)
	var left int
	require.NoError(t, s.DB(t).QueryRowContext(context.WithoutCancel(t.Context()),
		"SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", name[1]).Scan(&left))
	require.Zero(t, left, "%s is left", name[1])
}

// Ensures that a run prints a table of all that was asked for, draws it, writes JSON that reads back as the same
// report with all that is known of server and machine, looks at no database that the DSN names, and leaves none.
func TestBenchMeasures(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		dir := t.TempDir()
		file, svg := filepath.Join(dir, "hot.json"), filepath.Join(dir, "hot.svg")
		w := &watched{measure: hotrow.Run}
		dsn := strings.Replace(s.RootDSN(), "/", "/there_is_no_such_database", 1)
		args := append([]string{"--dsn", dsn, "--json", file, "--svg", svg, "--rtt=1ms"}, quick...)
		r := bench(t.Context(), w.run, args...)
		require.NoError(t, r.err)
		w.requireGone(t, s)
		require.Contains(t, w.setup.DSN, "interpolateParams=true")
		require.Contains(t, w.setup.DSN, "parseTime=true", "parameters of the DSN are kept")
		require.Regexp(t, `^sqlcas bench: (MySQL|MariaDB) [\d.]+; this takes at least about \S+: .*\n$`, r.complaints)
		require.Regexp(t, `(?m)^store +[\d,]+(\.\d)? `, r.out)

		text, err := os.ReadFile(file)
		require.NoError(t, err)
		report := decoded(t, string(text))
		var again strings.Builder
		require.NoError(t, writeJSON(&again, report))
		require.Equal(t, string(text), again.String())
		var table strings.Builder
		require.NoError(t, report.Text(&table))
		require.Equal(t, r.out, table.String())

		require.Equal(t, s.Version, report.Server.Version)
		require.True(t, report.Server.Local)
		require.Contains(t, fmt.Sprint(report.Server.Settings), "REPEATABLE-READ")
		require.Equal(t, "sqlcas bench --callers 2,1 --duration 100ms --rounds 1 --rtt 1ms --pool 4 "+
			"--strategies for-update,store", report.Command)
		require.WithinDuration(t, time.Now(), report.Started, time.Minute)
		require.NotZero(t, report.Machine.CPUs)
		require.Len(t, report.Cells, 2)
		requireSVG(t, svg)
		requireSVG(t, latencyFile(svg))
		drawn, err := os.ReadFile(latencyFile(svg))
		require.NoError(t, err)
		require.Contains(t, string(drawn), "2 callers", "latencies are those of the most callers")
	})
}

// Ensures that --json - prints JSON and nothing else, so that a program can read it.
func TestBenchPrintsJSON(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		fake := func(context.Context, hotrow.Setup) (hotrow.Report, error) { return hotrow.Report{Keys: 7}, nil }
		r := bench(t.Context(), fake, "--dsn", s.RootDSN(), "--json=-")
		require.NoError(t, r.err)
		require.Equal(t, 7, decoded(t, r.out).Keys)
	})
}

// Ensures that after a lost update, an error or an interruption there is no number, neither on standard output nor
// in a file, that the exit code tells which it was, and that the database is gone.
func TestBenchReportsNothingAfterAFailure(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for _, tc := range []struct {
			end  func() error
			code int
			want string
		}{
			{func() error { return fmt.Errorf("store: %w: 7 of 8", hotrow.ErrLost) }, exitFound, "store: " + hotrow.ErrLost.Error()},
			{func() error { return errors.New("no space left") }, exitError, "no space left"},
			{func() error { cancel(); return ctx.Err() }, exitError, "interrupted"},
		} {
			dir := t.TempDir()
			w := &watched{measure: func(context.Context, hotrow.Setup) (hotrow.Report, error) {
				return hotrow.Report{Keys: 7}, tc.end()
			}}
			r := bench(ctx, w.run, "--dsn", s.RootDSN(),
				"--json", filepath.Join(dir, "x.json"), "--svg", filepath.Join(dir, "x.svg"))
			require.ErrorContains(t, r.err, tc.want)
			require.Equal(t, tc.code, r.code(), tc.want)
			require.Empty(t, r.out, tc.want)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left, tc.want)
			w.requireGone(t, s)
		}
	})
}

// poor makes an account that may do nothing, and returns the --dsn of it.
func poor(t *testing.T, s *mysqltest.Server, with string) (account, dsn string) {
	t.Helper()
	db := s.DB(t)
	user := fmt.Sprintf("poor%d", time.Now().UnixNano()%1e9)
	_, err := db.ExecContext(t.Context(), "CREATE USER "+user+"@'%' IDENTIFIED BY 'Secret-77' "+with)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = db.ExecContext(context.WithoutCancel(t.Context()), "DROP USER "+user+"@'%'") })
	return user + "@'%'", strings.Replace(s.RootDSN(), "root@", user+":Secret-77@", 1)
}

// Ensures that an account which may not make databases, or may not use what it has made, is told the GRANT to ask
// for, and that this one is enough.
func TestBenchSaysWhatToGrant(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db := s.DB(t)
		for _, has := range []string{"", "CREATE, DROP"} {
			who, dsn := poor(t, s, "")
			if has != "" {
				_, err := db.ExecContext(t.Context(), "GRANT "+has+" ON `sqlcas\\_bench\\_%`.* TO "+who)
				require.NoError(t, err)
			}
			args := append([]string{"--dsn", dsn}, quick...)
			w := &watched{measure: hotrow.Run}
			r := bench(t.Context(), w.run, args...)
			require.Error(t, r.err, has)
			require.NotContains(t, r.err.Error(), "Secret-77")
			grant := regexp.MustCompile("GRANT .* TO '[^']*'@'[^']*'").FindString(r.err.Error())
			require.NotEmpty(t, grant, r.err)

			_, err := db.ExecContext(t.Context(), grant)
			require.NoError(t, err, grant)
			require.NoError(t, bench(t.Context(), w.run, args...).err)
			w.requireGone(t, s)
		}
	})
}

// Ensures that a run which the server, or the account, has too few connections for is refused before anything is
// measured, and that it runs as it is told to.
func TestBenchCountsConnections(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		r := bench(t.Context(), unasked(t), "--dsn", s.RootDSN(), "--processes=256", "--pool=500", "--callers=1,498")
		require.ErrorContains(t, r.err, "makes up to 128003 connections")
		require.ErrorContains(t, r.err, "(max_connections is ")

		who, dsn := poor(t, s, "WITH MAX_USER_CONNECTIONS 8")
		_, err := s.DB(t).ExecContext(t.Context(), "GRANT ALL PRIVILEGES ON `sqlcas\\_bench\\_%`.* TO "+who)
		require.NoError(t, err)
		args := append([]string{"--dsn", dsn}, quick...)
		args = append(args, "--callers=16")
		r = bench(t.Context(), unasked(t), append(args, "--pool=64")...)
		require.ErrorContains(t, r.err, "makes up to 21 connections, and the account has 6 left")
		require.ErrorContains(t, r.err, "give at most --pool 3,")
		w := &watched{measure: hotrow.Run}
		require.NoError(t, bench(t.Context(), w.run, append(args, "--pool=3")...).err)
		w.requireGone(t, s)
	})
}

// Ensures that what is refused for want of connections is told something that does: a smaller pool if there is one,
// else fewer processes.
func TestBenchMakesDoWithFewerConnections(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pool, processes, callers, limit, open int
		want                                  string // nothing: it fits
	}{
		{pool: 64, processes: 4, callers: 4, limit: 151, open: 2},
		{pool: 64, processes: 1, callers: 100, limit: 151, open: 84},
		{64, 1, 100, 151, 85, "makes up to 67 connections, and the server has 66 left (max_connections is 151, " +
			"and 85 are open): give at most --pool 63, or fewer"},
		{64, 10, 16, 151, 2, "give at most --pool 14, or fewer"},
		{64, 70, 16, 151, 2, "give at most --pool 2, or fewer"},
		{64, 74, 16, 151, 2, "give at most --processes 73 with --pool 2, or fewer"},
		{2, 100, 1, 151, 2, "give at most --processes 73 with --pool 2, or fewer"},
		{2, 1, 1, 5, 1, "raise it, or end some"},
		{2, 1, 1, 5, 9, "the server has 0 left"},
	} {
		o := benchOptions{pool: tc.pool, processes: tc.processes, callers: []int{1, tc.callers, 1}}
		err := o.fits("the server", "max_connections", tc.limit, tc.open)
		if tc.want == "" {
			require.NoError(t, err, "%+v", tc)
			continue
		}
		require.ErrorContains(t, err, tc.want, "%+v", tc)
	}
}

// Ensures that Ctrl-C while a server starts is told as that, and not as what could not be found because of it.
func TestBenchIsInterruptedBeforeTheServerIsUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, server := range []string{"--throwaway", nowhere} {
		r := bench(ctx, unasked(t), server)
		require.EqualError(t, r.err, errInterrupted.Error())
		require.Empty(t, r.complaints)
	}
}
