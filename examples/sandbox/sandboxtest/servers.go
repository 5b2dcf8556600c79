// Package sandboxtest finds the servers that tests of the examples run on: those that the
// environment names, since this module boots none itself.
//
//	go run ./internal/cmd/withdb -- go -C examples test ./...
//
// SQLCAS_TEST_DSNS lists them as name=dsn;name=dsn. SQLCAS_TEST_REQUIRE=name,name makes tests fail
// where one of the names is not among them; without it they are skipped.
package sandboxtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas/examples/sandbox"
)

const (
	dsnsEnv    = "SQLCAS_TEST_DSNS"
	requireEnv = "SQLCAS_TEST_REQUIRE"
)

// settleTime is how long connections have to go back to the pool when a test has ended.
const settleTime = 5 * time.Second

// Server is one entry of SQLCAS_TEST_DSNS.
type Server struct {
	Name string // as listed, such as mariadb1011
	DSN  string // of the server: sandbox.Open makes a database on it
}

// Each runs fn as one parallel subtest per server. Without any it skips the test, loudly with
// go test -v; with -short it always does.
func Each(t *testing.T, fn func(t *testing.T, s Server)) {
	t.Helper()
	if testing.Short() {
		t.Skip("sandboxtest: -short: no servers")
	}
	servers, err := parse(os.Getenv(dsnsEnv), os.Getenv(requireEnv))
	if err != nil {
		t.Fatal(err)
	}
	if len(servers) == 0 {
		t.Skipf("sandboxtest: NOT RUN, %s names no server; "+
			"run: go run ./internal/cmd/withdb -- go -C examples test ./...", dsnsEnv)
	}
	for _, s := range servers {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			fn(t, s)
		})
	}
}

// Open makes a sandbox that ends with the test.
func Open(t testing.TB, dsn string, conns int) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Open(t.Context(), dsn, conns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The connection from which a waiting statement was ended goes back a moment after the call.
		for deadline := time.Now().Add(settleTime); s.DB.Stats().InUse > 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if n := s.DB.Stats().InUse; n != 0 {
			t.Errorf("got %d connections in use at the end of the test, want 0", n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// parse reads the two lists.
func parse(dsns, require string) ([]Server, error) {
	var servers []Server
	for entry := range strings.SplitSeq(dsns, ";") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, dsn, ok := strings.Cut(entry, "=")
		// A DSN with parameters has an equals sign too, but no name has an @, a slash or a bracket.
		if !ok || name == "" || strings.ContainsAny(name, "@/(") {
			return nil, fmt.Errorf("sandboxtest: %s: entry %d is not name=dsn; "+
				"write it as mariadb1011=root@tcp(127.0.0.1:3307)/ with ; between entries",
				dsnsEnv, len(servers)+1)
		}
		servers = append(servers, Server{Name: strings.TrimSpace(name), DSN: dsn})
	}
	for name := range strings.SplitSeq(require, ",") {
		name = strings.TrimSpace(name)
		if name != "" && !slices.ContainsFunc(servers, func(s Server) bool { return s.Name == name }) {
			return nil, fmt.Errorf("sandboxtest: %s asks for %s, which %s does not list",
				requireEnv, name, dsnsEnv)
		}
	}
	return servers, nil
}
