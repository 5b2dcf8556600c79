package mysqltest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// asked is set when a test of this process first wanted servers.
var asked atomic.Bool

// Servers returns all servers that tests may use, booted. It skips the test under -short and where
// there is none, and fails it when one of SQLCAS_TEST_REQUIRE is missing or one does not boot.
// The servers belong to the process: do not Stop or Kill them, use [Start] for that.
func Servers(t testing.TB) []*Server {
	t.Helper()
	f := usable(t)
	servers := make([]*Server, len(f.slots))
	errs := make([]error, len(f.slots))
	var wg sync.WaitGroup
	for i, sl := range f.slots {
		wg.Go(func() { servers[i], errs[i] = sl.get() })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return servers
}

// Each runs fn as one parallel subtest per server, named after its flavour, and boots a server
// only if its subtest runs. A flavour that is missing shows as a skipped subtest. Like any parallel
// subtests they start when the calling test function returns, so nothing that fn uses may be
// closed by a defer in it; use t.Cleanup.
func Each(t *testing.T, fn func(t *testing.T, s *Server)) {
	t.Helper()
	f := usable(t)
	for _, sl := range f.slots {
		t.Run(sl.name, func(t *testing.T) {
			t.Parallel()
			s, err := sl.get()
			if err != nil {
				t.Fatal(err)
			}
			fn(t, s)
		})
	}
	skipMissing(t, f.missing)
}

// Start boots a server that belongs to this test alone and is stopped when it ends, for tests that
// kill it or need other settings than the shared ones. It uses this machine's programs, also where
// SQLCAS_TEST_DSNS is set, and skips the test when the flavour is not installed.
func Start(t testing.TB, name string, o Options) *Server {
	t.Helper()
	skipShort(t)
	p, ok := programs()[name]
	if !ok || !supported {
		if slices.Contains(splitList(os.Getenv(requireEnv)), name) {
			t.Fatalf("mysqltest: %s is required and not installed; %s", name, installHint)
		}
		t.Skipf("mysqltest: %s is not installed; %s", name, installHint)
	}
	s, err := boot(t.Context(), os.Stderr, p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("mysqltest: stop %s: %v", s.Name, err)
		}
	})
	return s
}

// EachOwn is [Each] with a server of its own for each subtest, as [Start] boots it. The subtests
// run in parallel; each takes some 200 MB of disk and a second or two.
func EachOwn(t *testing.T, o Options, fn func(t *testing.T, s *Server)) {
	t.Helper()
	skipShort(t)
	only := splitList(os.Getenv(serversEnv))
	for _, name := range Flavours() {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, Start(t, name, o))
		})
	}
}

// Runner runs a package's tests and then stops the servers; see [Main].
type Runner struct{ m interface{ Run() int } }

// Main wraps a package's tests so that the servers are gone before leaks are looked for:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }
//
// and without a leak check os.Exit(mysqltest.Main(m).Run()). Without Main the servers end with the
// process, and only a leak check would notice.
func Main(m *testing.M) *Runner { return &Runner{m: m} }

// Run runs the tests, stops the servers that they booted, says on standard error which ones were
// used, and returns the exit code.
func (r *Runner) Run() int {
	code := r.m.Run()
	if !asked.Load() {
		return code
	}
	f := sharedSet()
	fmt.Fprintln(os.Stderr, f.report())
	if err := f.stop(); err != nil {
		fmt.Fprintf(os.Stderr, "sqlcas test servers: stop: %v\n", err)
		return max(code, 1)
	}
	return code
}

// programs is what this machine has installed, looked for once per process.
var programs = sync.OnceValue(func() map[string]*program {
	return findPrograms(context.Background())
})

// usable returns the set of shared servers, or ends the test: skipped when there is none, failed
// when the environment asks for what is not there.
func usable(t testing.TB) *set {
	t.Helper()
	skipShort(t)
	f := sharedSet()
	asked.Store(true)
	if f.err != nil {
		t.Fatal(f.err)
	}
	if len(f.slots) == 0 {
		t.Skipf("mysqltest: no server (missing: %s); run `make servers`, or set %s=name=dsn",
			strings.Join(f.missing, ", "), dsnsEnv)
	}
	return f
}

// skipShort skips tests on servers under -short.
func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("mysqltest: -short: no servers")
	}
}

// skipMissing makes what did not run visible in `go test -v`.
func skipMissing(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Skipf("mysqltest: %s is missing; %s", name, installHint)
		})
	}
}
