package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

var update = flag.Bool("update", false, "write what the commands of the tutorial print into it")

// fence is a fenced block of a page, and the file that the line above it names.
type fence struct {
	lang, file, text string
	from, to         int // of text in the page
}

var (
	fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	named  = regexp.MustCompile("`([^`]+)`:\n\n$")
)

// fences returns the fenced blocks of a page.
func fences(page string) []fence {
	var all []fence
	for _, at := range fenced.FindAllStringSubmatchIndex(page, -1) {
		f := fence{lang: page[at[2]:at[3]], text: page[at[4]:at[5]], from: at[4], to: at[5]}
		if m := named.FindStringSubmatch(page[:at[0]]); m != nil {
			f.file = m[1]
		}
		all = append(all, f)
	}
	return all
}

// Ensures that the tutorial works as it is printed, in a folder where nothing is but go, sqlc and
// sqlcas: its files are written, its commands typed, and they print what it says.
func TestTutorial(t *testing.T) {
	t.Parallel()
	const page = "../../docs/tutorial.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	servers := mysqltest.Servers(t)
	work := workshop{dir: t.TempDir(), bin: toolbox(t), dsn: servers[0].DSN(t)}
	fresh, last, ran := string(text), "", 0
	shift := 0
	for _, f := range fences(string(text)) {
		switch {
		case f.file != "":
			path := filepath.Join(work.dir, f.file)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(f.text), 0o644))
		case f.lang == "sh":
			last = work.run(t, f.text)
			ran++
		case f.lang == "text":
			fresh = fresh[:f.from+shift] + last + fresh[f.to+shift:]
			shift += len(last) - len(f.text)
			if !*update {
				require.Equal(t, f.text, last, "what the commands above print (take it over by -update)")
			}
		default:
			t.Fatalf("a block of %s without a file name above it", f.lang)
		}
	}
	require.Greater(t, ran, 4, "blocks of commands")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(fresh), 0o644))
	}
}

// workshop is where somebody follows the tutorial.
type workshop struct{ dir, bin, dsn string }

// run types commands into a shell and returns what they print.
func (w workshop) run(t *testing.T, script string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	// The module is taken from here, and not from where it is published.
	init := regexp.MustCompile(`(?m)^(go mod init .*)$`)
	script = init.ReplaceAllString(script, fmt.Sprintf("$1\ngo mod edit -replace github.com/sqlcas/sqlcas='%s'", root))
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	cmd.Dir = w.dir
	cmd.Env = []string{"PATH=" + w.bin + ":/usr/bin:/bin", "DSN=" + w.dsn, "HOME=" + os.Getenv("HOME"), "GOFLAGS=-mod=mod"}
	for _, name := range []string{"GOPROXY", "GOMODCACHE", "GOCACHE", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOPATH", "SSL_CERT_FILE", "HTTPS_PROXY"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, "%s\nprinted %s\nand %s", script, out, complaints.String())
	return string(out)
}

// toolbox returns a folder with go, sqlc and sqlcas.
func toolbox(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "sqlcas"), ".")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	path, err := exec.LookPath("go")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(path, filepath.Join(bin, "go")))
	require.NoError(t, os.Symlink(sqlcPath(t), filepath.Join(bin, "sqlc")))
	return bin
}

// sqlcPath returns the path of the sqlc that the project uses.
func sqlcPath(t *testing.T) string {
	t.Helper()
	const tools = "-modfile=../../tools/go.mod"
	out, err := exec.CommandContext(t.Context(), "go", "tool", tools, "sqlc", "version").CombinedOutput() // builds it
	require.NoError(t, err, "%s", out)
	out, err = exec.CommandContext(t.Context(), "go", "tool", tools, "-n", "sqlc").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
