package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// report says that every version of the standard library's strings.Repeat is vulnerable.
const report = `{"schema_version":"1.3.1","id":"GO-2000-0001","modified":"2000-01-01T00:00:00Z",
"published":"2000-01-01T00:00:00Z","summary":"planted","details":"planted","affected":[{
"package":{"name":"stdlib","ecosystem":"Go"},
"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
"ecosystem_specific":{"imports":[{"path":"strings","symbols":["Repeat"]}]}}],
"database_specific":{"url":"https://pkg.go.dev/vuln/GO-2000-0001"}}`

// Ensures that a flat folder of reports, which is what golang.org/x/vulndb ships, is really read: a
// planted report turns up when the code calls the symbol and does not when it calls another.
func TestRunReadsFlatFolder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		call     string
		wantCode int
		wantOut  string
	}{
		"vulnerable symbol": {`strings.Repeat("a", 2)`, exitFound, "GO-2000-0001"},
		"other symbol":      {`strings.ToUpper("a")`, exitClean, "No vulnerabilities found."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := folder(t, map[string]string{"GO-2000-0001.json": report})
			code := folder(t, map[string]string{
				"go.mod":  "module planted\n\ngo 1.26\n",
				"main.go": "package main\n\nimport \"strings\"\n\nfunc main() { println(" + tc.call + ") }\n",
			})
			var stdout, stderr bytes.Buffer
			got := run(t.Context(), []string{"-C", code, "./..."},
				[]database{fixed(fileURL(reports), "planted reports")}, &stdout, &stderr)
			if got != tc.wantCode || !strings.Contains(stdout.String(), tc.wantOut) {
				t.Errorf("got exit %d and %q, want %d and %q in it; stderr: %s",
					got, &stdout, tc.wantCode, tc.wantOut, &stderr)
			}
			if !strings.Contains(stderr.String(), "checked against planted reports") {
				t.Errorf("got %q, want it to name the database", &stderr)
			}
		})
	}
}

// Ensures that -tolerate-stdlib passes findings of the standard library, with a warning that names
// them, and that it does not pass one in a module that the code requires, alone or beside them.
func TestRunTolerateStdlib(t *testing.T) {
	t.Parallel()
	dep := strings.NewReplacer("0001", "0002", `"stdlib"`, `"example.com/dep"`,
		`"strings"`, `"example.com/dep"`).Replace(report)
	reports := fixed(fileURL(folder(t, map[string]string{
		"GO-2000-0001.json": report,
		"GO-2000-0002.json": dep,
	})), "planted reports")
	for name, tc := range map[string]struct {
		calls    string
		wantCode int
		wantWarn bool
	}{
		"stdlib alone": {`strings.Repeat("a", 2), dep.Fine()`, exitClean, true},
		"module alone": {`strings.ToUpper("a"), dep.Repeat()`, exitFound, false},
		"both":         {`strings.Repeat("a", 2), dep.Repeat()`, exitFound, false},
		"none":         {`strings.ToUpper("a"), dep.Fine()`, exitClean, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Vendored, because a module replaced by a folder has no version to compare.
			code := folder(t, map[string]string{
				"go.mod": "module planted\n\ngo 1.26\n\nrequire example.com/dep v1.0.0\n",
				"main.go": "package main\n\nimport (\n\t\"strings\"\n\n\t\"example.com/dep\"\n)\n\n" +
					"func main() { println(" + tc.calls + ") }\n",
				"vendor/modules.txt": "# example.com/dep v1.0.0\n" +
					"## explicit; go 1.26\nexample.com/dep\n",
				"vendor/example.com/dep/dep.go": "package dep\n\n" +
					"func Repeat() int { return 1 }\n\nfunc Fine() int { return 1 }\n",
			})
			var stdout, stderr bytes.Buffer
			got := run(t.Context(), []string{tolerateStdlib, "-C", code, "./..."},
				[]database{reports}, &stdout, &stderr)
			warned := strings.Contains(stderr.String(), "WARNING") &&
				strings.Contains(stderr.String(), "GO-2000-0001")
			if got != tc.wantCode || warned != tc.wantWarn {
				t.Errorf("got exit %d, warning %v, want %d, %v; stdout: %s stderr: %s",
					got, warned, tc.wantCode, tc.wantWarn, &stdout, &stderr)
			}
		})
	}
}

// Ensures that a database that cannot be had, or cannot be read, gives way to the next one and is
// named, and that running out of databases is a failure and not a clean result.
func TestRunFallsBack(t *testing.T) {
	t.Parallel()
	reports := folder(t, map[string]string{"GO-2000-0001.json": report})
	code := folder(t, map[string]string{
		"go.mod":  "module planted\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {}\n",
	})
	broken := []database{
		{"absent", func(context.Context) (string, string, error) {
			return "", "", errors.New("no such thing")
		}},
		fixed(fileURL(filepath.Join(reports, "missing")), "unreadable"),
	}
	args := []string{"-C", code, "./..."}

	var stdout, stderr bytes.Buffer
	got := run(t.Context(), args, append(broken, fixed(fileURL(reports), "last")), &stdout, &stderr)
	if got != exitClean {
		t.Errorf("got exit %d, want %d; stderr: %s", got, exitClean, &stderr)
	}
	for _, want := range []string{"absent: no such thing", "unreadable:", "against last"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("got %q, want %q in it", &stderr, want)
		}
	}

	stderr.Reset()
	if got := run(t.Context(), args, broken, &stdout, &stderr); got != exitFailed {
		t.Errorf("got exit %d without a database, want %d", got, exitFailed)
	}
	if !strings.Contains(stderr.String(), "not checked") {
		t.Errorf("got %q, want it to say that nothing was checked", &stderr)
	}
}

// fixed is a database that is at url.
func fixed(url, name string) database {
	return database{name, func(context.Context) (string, string, error) { return url, name, nil }}
}

// folder writes files, with their slashed names, into a new folder that is removed when the test
// ends.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
