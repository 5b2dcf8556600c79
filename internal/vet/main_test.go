package vet

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

var update = flag.Bool("update", false, "write the golden files and docs/rules.md anew")

// Ensures that no test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden holds a text equal to a file.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test -update writes it")
	require.Equal(t, string(want), text, "go test -update writes it anew")
}

// fixtures are small packages, in a module of their own that has stand-ins for sqlx and gorm.
const fixtures = "testdata/src"

func fixtureJob(t *testing.T, packages ...string) Job {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fixtures, "schema.sql"))
	require.NoError(t, err)
	schema := sqlcheck.Source{Name: "schema.sql", Text: string(text)}
	return Job{Dir: fixtures, Packages: packages, Blocks: []Block{{Schema: []sqlcheck.Source{schema}}}}
}
