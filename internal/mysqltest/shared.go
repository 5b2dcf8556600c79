package mysqltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

// The environment that steers tests; the package comment has their meaning.
const (
	dsnsEnv    = "SQLCAS_TEST_DSNS"
	serversEnv = "SQLCAS_TEST_SERVERS"
	requireEnv = "SQLCAS_TEST_REQUIRE"
)

// installHint is what a skipped test tells its reader.
const installHint = "run `make servers` to install it"

// slot is one shared server of this process: known at once, booted when a test first needs it.
type slot struct {
	name    string
	program *program // nil for a server that somebody else runs
	dsn     string

	once   sync.Once
	mu     sync.Mutex // guards server and err against report and stop during a boot
	server *Server
	err    error
}

// set is what this process may use: its slots, and what it would have liked to.
type set struct {
	slots   []*slot
	missing []string // flavours that are neither given nor found
	err     error    // the environment is wrong: every test that asks fails
}

// sharedSet finds the servers once per process. It boots none.
var sharedSet = sync.OnceValue(func() *set {
	return findSet(context.Background(), os.Getenv(dsnsEnv), os.Getenv(serversEnv),
		os.Getenv(requireEnv))
})

// findSet reads the three lists of the environment and looks for what they leave open.
func findSet(ctx context.Context, dsns, only, require string) *set {
	f := &set{}
	wanted := splitList(only)
	want := func(name string) bool { return len(wanted) == 0 || slices.Contains(wanted, name) }
	given, bad := parseDSNs(dsns)
	if len(bad) > 0 {
		f.err = fmt.Errorf("mysqltest: %s: an entry is not name=dsn; "+
			"write it as mysql97=root@tcp(127.0.0.1:3307)/ with ; between entries", dsnsEnv)
		return f
	}
	for _, server := range given {
		if want(server.name) {
			f.slots = append(f.slots, &slot{name: server.name, dsn: server.dsn})
		}
	}
	if len(given) == 0 {
		if _, err := ParseNames(only); err != nil {
			f.err = fmt.Errorf("%w (%s)", err, serversEnv)
			return f
		}
		f.find(ctx, want)
	}
	f.err = f.require(splitList(require), want)
	return f
}

// find fills the set from the programs of this machine.
func (f *set) find(ctx context.Context, want func(string) bool) {
	found := findPrograms(ctx)
	for _, name := range Flavours() {
		switch p, ok := found[name]; {
		case !want(name):
		case ok && supported:
			f.slots = append(f.slots, &slot{name: name, program: p})
		default:
			f.missing = append(f.missing, name)
		}
	}
}

// require returns an error that names what is required, wanted and not there.
func (f *set) require(names []string, want func(string) bool) error {
	var absent []string
	for _, name := range names {
		has := func(s *slot) bool { return s.name == name }
		if want(name) && !slices.ContainsFunc(f.slots, has) {
			absent = append(absent, name)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	return fmt.Errorf("mysqltest: %s asks for %s, which is missing; %s",
		requireEnv, strings.Join(absent, ", "), installHint)
}

// get boots the slot's server, or connects to the given one, at the first call. A failure stays:
// the other tests get the same error at once rather than after another deadline.
func (sl *slot) get() (*Server, error) {
	sl.once.Do(func() {
		var server *Server
		var err error
		// Not a test's context: the server outlives the test that happened to come first.
		if sl.program != nil {
			server, err = boot(context.Background(), os.Stderr, sl.program, Options{})
		} else {
			server, err = connect(sl.name, sl.dsn)
		}
		sl.mu.Lock()
		sl.server, sl.err = server, err
		sl.mu.Unlock()
	})
	sl.mu.Lock()
	defer sl.mu.Unlock()
	return sl.server, sl.err
}

// connect makes a Server of a DSN that somebody gave.
func connect(name, dsn string) (*Server, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		// The DSN may hold a password, and the parser's error does not repeat it.
		return nil, fmt.Errorf("mysqltest: %s: the DSN of %s: %w", dsnsEnv, name, err)
	}
	cfg.DBName = ""
	s := &Server{Name: name, base: cfg}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.identify(ctx); err != nil {
		return nil, fmt.Errorf("mysqltest: %s: %s at %s: %w", dsnsEnv, name, cfg.Addr, err)
	}
	return s, nil
}

// stop stops every server that was booted.
func (f *set) stop() error {
	var errs []error
	for _, sl := range f.slots {
		sl.mu.Lock()
		if sl.server != nil {
			errs = append(errs, sl.server.Stop())
		}
		sl.mu.Unlock()
	}
	return errors.Join(errs...)
}

// report returns one line on the servers that tests used, or "" when no test asked for any.
func (f *set) report() string {
	var used []string
	for _, sl := range f.slots {
		sl.mu.Lock()
		switch {
		case sl.server != nil:
			used = append(used, sl.server.String())
		case sl.err != nil:
			used = append(used, sl.name+" FAILED")
		}
		sl.mu.Unlock()
	}
	line := "sqlcas test servers: none"
	if len(used) > 0 {
		line = "sqlcas test servers: " + strings.Join(used, ", ")
	}
	if len(f.missing) > 0 {
		line += "; missing: " + strings.Join(f.missing, ", ") + " (run `make servers`)"
	}
	return line
}
