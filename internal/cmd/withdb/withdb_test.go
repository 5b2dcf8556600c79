package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// playEnv makes this test binary play withdb itself.
const playEnv = "SQLCAS_TEST_PLAY_WITHDB"

func TestMain(m *testing.M) {
	if os.Getenv(playEnv) != "" {
		os.Exit(run(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// withdb returns a command that runs withdb with args, booting servers of its own.
func withdb(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no servers")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), playEnv+"=1", "SQLCAS_TEST_DSNS=")
	return cmd
}

// anyServer returns a flavour that is installed here.
func anyServer(t *testing.T) string {
	t.Helper()
	installed := mysqltest.Installed(t.Context())
	if len(installed) == 0 {
		t.Skip("no server is installed; run `make servers`")
	}
	return preferred(installed)[0]
}

// Ensures that the command gets the DSNs and what is required, its exit code comes back, and the
// last line names server and version.
func TestCommandRunsOnServers(t *testing.T) {
	t.Parallel()
	name := anyServer(t)
	cmd := withdb(t, "-servers", name, "-require", name, "--",
		"sh", "-c", `echo "$SQLCAS_TEST_DSNS $SQLCAS_TEST_REQUIRE"; exit 7`)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 7 {
		t.Errorf("exit code: got %d, want the command's 7; %s", got, stderr.String())
	}
	if got := stdout.String(); !strings.HasPrefix(got, name+"=root@tcp(127.0.0.1:") ||
		!strings.HasSuffix(got, " "+name+"\n") {
		t.Errorf("environment of the command: got %q", got)
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "sqlcas test servers: "+name+" ") {
		t.Errorf("last line: got %q, want the server and its version", last)
	}
}

// Ensures that a signal to withdb reaches the command, that withdb outlives it to stop the
// server, and that its exit code says what ended the command.
func TestSignalReachesTheCommand(t *testing.T) {
	t.Parallel()
	cmd := withdb(t, "-servers", anyServer(t), "--",
		"sh", "-c", `trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.02; done`)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("first line: got %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 9 || string(rest) != "got it\n" {
		t.Errorf("after SIGTERM: exit code %d and output %q, want 9 and \"got it\"", got, rest)
	}
}

// Ensures that -print prints a DSN alone on standard output and ends by a signal without fault.
func TestPrint(t *testing.T) {
	t.Parallel()
	cmd := withdb(t, "-servers", anyServer(t), "-print")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "root@tcp(127.0.0.1:") ||
		!strings.Contains(line, "/sqlcas?") {
		t.Errorf("first line: got %q, %v; want a DSN", line, err)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after the interrupt: %v", err)
	}
}

// Ensures that a wrong command line is refused with its mend, before anything boots.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                        "write it after --",
		"-servers mysql57 -- ls":  `no server flavour "mysql57"`,
		"-require a,b -- ls":      "-require",
		"-print -- ls":            "leave one out",
		"-servers mariadb118 -no": "not defined",
	} {
		_, err := parse(strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("withdb %s: got %v, want %q", args, err, want)
		}
	}
}
