package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// written is when the migrations of these tests are: a quarter past nine in Berlin, the day before in UTC-10.
var written = time.Date(2026, 7, 1, 9, 15, 0, 0, time.FixedZone("CEST", 2*60*60))

// migrated runs `sqlcas migrate sqlcas` at the time written, and returns what it printed.
func migrated(args ...string) (out, told string, err error) {
	var o, c strings.Builder
	cmd := migrateCommand(func() time.Time { return written })
	cmd.SetArgs(append([]string{"sqlcas"}, args...))
	cmd.SetOut(&o)
	cmd.SetErr(&c)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	return o.String(), c.String(), err
}

// Ensures that each format is printed as it has been looked at, for all tables and for the one named, whose name
// may have its prefix; plain is the default.
func TestMigrateGoldens(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		golden := filepath.Join("testdata", "migrate", f.name+".sql")
		out, told, err := migrated("--format", f.name)
		require.NoError(t, err)
		require.Empty(t, told, "what is no SQL must not go where it is read as such, and nothing is written")
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(out), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), out, "-update writes %s", golden)

		for _, args := range [][]string{{"operation"}, {"sqlcas_operation"}, {"operation", "sqlcas_operation"}} {
			flags := []string{"--format", f.name}
			for _, table := range args {
				flags = append(flags, "--table", table)
			}
			one, _, err := migrated(flags...)
			require.NoError(t, err)
			require.Equal(t, out, one, args)
		}
		if f.name == plainFormat {
			plain, _, err := migrated()
			require.NoError(t, err)
			require.Equal(t, out, plain)
		}
	}
}

// Ensures that several tables are created in the order given and dropped in the other one, so that one may refer
// to another, and that the name of the file tells of all.
func TestMigrateDropsInTheOtherOrder(t *testing.T) {
	t.Parallel()
	m := newMigration([]libraryTable{
		{"sqlcas_a", "CREATE TABLE sqlcas_a (id INT);"}, {"sqlcas_b", "CREATE TABLE sqlcas_b (id INT);"},
	}, written)
	require.Equal(t, []string{"CREATE TABLE sqlcas_a (id INT);", "CREATE TABLE sqlcas_b (id INT);"}, m.up)
	require.Equal(t, []string{"DROP TABLE sqlcas_b;", "DROP TABLE sqlcas_a;"}, m.down)
	require.Equal(t, "20260701071500_sqlcas_a_b.up.sql", m.file(".up.sql", "").name)
}

// Ensures that what cannot be done is refused with what can, that nothing is printed then, and that the exit code
// tells.
func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "file", "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--format", "flyway"}, `--format "flyway": no such format: give plain, goose or golang-migrate`},
		{[]string{"--format="}, "give plain, goose or golang-migrate"},
		{[]string{"--table", "lock"}, `--table "lock": the library has no such table: give operation`},
		{[]string{"--table="}, "give operation"},
		{[]string{"--table", "operation", "--table", "lock"}, `--table "lock"`},
		{[]string{"--format", "goose", "--out="}, "--out is empty"},
		{[]string{"--format", "goose", "--out", filepath.Join(dir, "nowhere")}, "nowhere: there is no such folder"},
		{[]string{"--format", "goose", "--out", filepath.Join(dir, "file")}, "file is no folder: "},
		{[]string{"--out", dir}, "> 20260701071500_sqlcas_operation.sql"},
		{[]string{"operation"}, "unknown command"},
	} {
		out, told, err := migrated(c.args...)
		require.ErrorContains(t, err, c.want)
		require.Empty(t, out, c.args)
		require.Empty(t, told, c.args)

		code, out, complaints := sqlcas(append([]string{"migrate", "sqlcas"}, c.args...)...)
		require.Equal(t, exitError, code, c.args)
		require.Empty(t, out, c.args)
		require.NotEmpty(t, complaints, c.args)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// Ensures that the root command has it with the time as it is, that migrate alone says what there is, and that a
// misspelled migration is an error rather than help and success.
func TestMigrateIsACommand(t *testing.T) {
	t.Parallel()
	code, out, complaints := sqlcas("migrate", "sqlcas")
	require.Zero(t, code, complaints)
	plain, _, err := migrated()
	require.NoError(t, err)
	require.Equal(t, plain, out)

	code, out, complaints = sqlcas("migrate", "sqlcas", "--format", "golang-migrate")
	require.Zero(t, code, complaints)
	name, _, _ := strings.Cut(strings.TrimPrefix(out, "-- "), "_")
	at, err := time.Parse("20060102150405", name)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, time.Minute)

	code, out, _ = sqlcas("migrate")
	require.Zero(t, code)
	require.Contains(t, out, "sqlcas      Write the migration")

	code, _, complaints = sqlcas("migrate", "sqlcsa")
	require.Equal(t, exitError, code)
	require.Contains(t, complaints, "sqlcsa")
}
