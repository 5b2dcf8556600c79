package casgen

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// updatePlugin has the real sqlc compile each case anew: its request, its own Go, and what is made of them. The
// flag -update writes what is made of the requests that are there.
var updatePlugin = flag.Bool("update-plugin", false, "write testdata/plugin anew with sqlc")

func updating() bool { return *updatePlugin || flag.Lookup("update").Value.String() == "true" }

// pluginCases are folders of testdata/plugin: schema/*.sql, queries/*.sql and options.json make request.json
// and either want/*.go or want.error. A case called refuse-... has its queries by hand, any other has those of
// its descriptors in queries/*.cas.sql.
func pluginCases(t testing.TB) []string {
	dirs, err := filepath.Glob("testdata/plugin/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	return dirs
}

// sourcesIn reads paths in a folder, and names files from there.
func sourcesIn(dir string) Sources {
	return func(paths []string) ([]sqlcheck.Source, error) {
		var sources []sqlcheck.Source
		for _, p := range paths {
			names, err := fs.Glob(os.DirFS(dir), p+"/*.sql")
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					return nil, err
				}
				sources = append(sources, sqlcheck.Source{Name: name, Text: string(text)})
			}
		}
		return sources, nil
	}
}

// Ensures that what is generated of sqlc's own requests is what has been looked at and compiled.
func TestPluginGoldens(t *testing.T) {
	t.Parallel()
	for _, dir := range pluginCases(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			refuses := strings.HasPrefix(filepath.Base(dir), "refuse-")
			if !refuses {
				compareQueries(t, dir)
			}
			if *updatePlugin {
				runSqlc(t, dir, !refuses)
			}
			raw, err := os.ReadFile(filepath.Join(dir, "request.json"))
			require.NoError(t, err)
			files, err := Generate(raw, sourcesIn(dir), "v0.0.0")
			if refuses {
				require.Error(t, err)
				require.Empty(t, files)
				golden(t, filepath.Join(dir, "want.error"), err.Error()+"\n")
				return
			}
			require.NoError(t, err)
			for _, f := range files {
				golden(t, filepath.Join(dir, "want", f.Name), f.Text)
			}
		})
	}
}

// compareQueries holds a case's *.cas.sql equal to what Queries makes of its schema: the two halves go together.
func compareQueries(t *testing.T, dir string) {
	options, err := ReadOptions(read(t, filepath.Join(dir, "options.json")))
	require.NoError(t, err)
	schema, err := sourcesIn(dir)([]string{"schema"})
	require.NoError(t, err)
	files, found := Queries(sqlcheck.ReadSchema(schema, options.Versions()), options, "v0.0.0")
	require.Empty(t, found)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "queries"), 0o755))
	for _, f := range files {
		golden(t, filepath.Join(dir, "queries", f.Name), f.Text)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if updating() {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	require.Equal(t, string(read(t, path)), got, "%s: look at the difference, then run go test with -update, or with "+
		"-update-plugin if SQL or options have changed", path)
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

// runSqlc writes a case's request.json and, where it is to compile, sqlc's Go into want.
func runSqlc(t *testing.T, dir string, compiles bool) {
	t.Helper()
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS(dir)))
	require.NoError(t, os.RemoveAll(filepath.Join(work, "want")))
	capture := "#!/bin/sh\ncat > request.json\necho '{}'\n"
	require.NoError(t, os.WriteFile(filepath.Join(work, "capture"), []byte(capture), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(work, "sqlc.json"), sqlcConfig(t, dir), 0o644))
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	sqlc, err := exec.Command("go", "-C", root, "tool", "-n", "-modfile=tools/go.mod", "sqlc").Output()
	require.NoError(t, err)
	cmd := exec.Command(strings.TrimSpace(string(sqlc)), "generate")
	cmd.Dir = work
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	request := short(t, read(t, filepath.Join(work, "request.json")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "request.json"), request, 0o644))
	if compiles {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "want")))
		require.NoError(t, os.CopyFS(filepath.Join(dir, "want"), os.DirFS(filepath.Join(work, "db"))))
	}
}

// short leaves out of a request what is a proto's default, and means the same: it is a third as long then.
func short(t *testing.T, request []byte) []byte {
	var value any
	require.NoError(t, json.Unmarshal(request, &value))
	text, err := json.Marshal(withoutDefaults(value))
	require.NoError(t, err)
	return append(text, '\n')
}

func withoutDefaults(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = withoutDefaults(v[i])
		}
	case map[string]any:
		for name, field := range v {
			switch v[name] = withoutDefaults(field); field {
			case nil, "", false, 0.0:
				delete(v, name)
			}
		}
	}
	return value
}

// sqlcConfig makes sqlc's configuration of a case's options, as the alias `go: *go` would have it. The file
// gen-go.json stands for what gen.go has where that differs.
func sqlcConfig(t *testing.T, dir string) []byte {
	raw := read(t, filepath.Join(dir, "options.json"))
	var options struct {
		Go        json.RawMessage `json:"go"`
		Overrides json.RawMessage `json:"overrides"`
	}
	require.NoError(t, json.Unmarshal(raw, &options))
	if own, err := os.ReadFile(filepath.Join(dir, "gen-go.json")); err == nil {
		options.Go = own
	}
	config := map[string]any{
		"version": "2",
		"plugins": []any{map[string]any{
			"name": "sqlcas", "env": []string{"PATH"}, "process": map[string]string{"cmd": "./capture", "format": "json"},
		}},
		"sql": []any{map[string]any{
			"engine": "mysql", "schema": "schema", "queries": "queries", "gen": map[string]any{"go": options.Go},
			"codegen": []any{map[string]any{"plugin": "sqlcas", "out": "db", "options": json.RawMessage(raw)}},
		}},
	}
	if options.Overrides != nil {
		config["overrides"] = map[string]any{"go": options.Overrides}
	}
	text, err := json.Marshal(config)
	require.NoError(t, err)
	return text
}

// Ensures that what is generated compiles beside what sqlc generates, for all options.
func TestPluginGoldensCompile(t *testing.T) {
	t.Parallel()
	if updating() {
		t.Skip("the goldens are being written")
	}
	args := []string{"vet", "-tags=golden"}
	for _, dir := range pluginCases(t) {
		if !strings.HasPrefix(filepath.Base(dir), "refuse-") {
			args = append(args, "./"+filepath.ToSlash(filepath.Join(dir, "want")))
		}
	}
	runGo(t, args...)
}

// Ensures that what is generated does what its comments say: testdata/behaviour has the tests.
func TestPluginGoldensWork(t *testing.T) {
	t.Parallel()
	if updating() {
		t.Skip("the goldens are being written")
	}
	runGo(t, "test", "-tags=golden", "./testdata/behaviour")
}

func runGo(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}
