package mysqltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// Fleet is a number of servers for another process to use: what the withdb command boots.
type Fleet struct {
	// Servers answer, in the order of [Flavours].
	Servers []*Server
	// Missing are the wanted ones that are not installed or do not boot, with the reason.
	Missing []Missing
}

// BootFleet boots the named flavours at once (all when there is no name) and returns when each one
// answers or has failed. A server that fails does not stop the others. With SQLCAS_TEST_DSNS set
// it boots nothing and uses what is listed there, of the names given.
func BootFleet(ctx context.Context, out io.Writer, o Options, names ...string) (*Fleet, error) {
	given := os.Getenv(dsnsEnv)
	f := findSet(ctx, given, strings.Join(names, ","), "")
	if f.err != nil {
		return nil, f.err
	}
	fleet := &Fleet{}
	for _, name := range f.missing {
		fleet.miss(name, "not installed; "+installHint)
	}
	servers := make([]*Server, len(f.slots))
	errs := make([]error, len(f.slots))
	var wg sync.WaitGroup
	for i, sl := range f.slots {
		wg.Go(func() {
			if sl.program == nil {
				servers[i], errs[i] = connect(sl.name, sl.dsn)
				return
			}
			servers[i], errs[i] = boot(ctx, out, sl.program, o)
		})
	}
	wg.Wait()
	for i, sl := range f.slots {
		if errs[i] != nil {
			fmt.Fprintf(out, "sqlcas servers: %s: %v\n", sl.name, errs[i])
			fleet.miss(sl.name, firstLine(errs[i]))
			continue
		}
		fleet.Servers = append(fleet.Servers, servers[i])
	}
	return fleet, nil
}

// Explain replaces the reason of missing servers by what [Install] said about them.
func (f *Fleet) Explain(known []Missing) {
	for i := range f.Missing {
		for _, m := range known {
			if m.Name == f.Missing[i].Name {
				f.Missing[i].Reason = m.Reason
			}
		}
	}
}

// Require returns an error when one of the names is not among the servers.
func (f *Fleet) Require(names []string) error {
	var errs []error
	for _, m := range f.Missing {
		if slices.Contains(names, m.Name) {
			errs = append(errs, fmt.Errorf("required server %s is missing: %s", m.Name, m.Reason))
		}
	}
	for _, name := range names {
		has := func(s *Server) bool { return s.Name == name }
		missing := func(m Missing) bool { return m.Name == name }
		if !slices.ContainsFunc(f.Servers, has) && !slices.ContainsFunc(f.Missing, missing) {
			errs = append(errs, fmt.Errorf("required server %s was left out of the run", name))
		}
	}
	return errors.Join(errs...)
}

// Env returns the variables that make tests of a child process use these servers. Without a
// server it returns none, and the tests look for themselves.
func (f *Fleet) Env() []string {
	if len(f.Servers) == 0 {
		return nil
	}
	var entries []string
	for _, s := range f.Servers {
		entries = append(entries, s.Name+"="+s.RootDSN())
	}
	return []string{dsnsEnv + "=" + strings.Join(entries, ";")}
}

// Report writes one line with the servers and their versions, and one loud line for each missing
// one. It is meant to be the last thing that a run prints.
func (f *Fleet) Report(w io.Writer) {
	used := make([]string, len(f.Servers))
	for i, s := range f.Servers {
		used[i] = s.String()
	}
	if len(used) == 0 {
		used = []string{"NONE, tests that need a server were skipped"}
	}
	fmt.Fprintf(w, "sqlcas test servers: %s\n", strings.Join(used, ", "))
	ReportMissing(w, f.Missing)
}

// Stop stops all servers and returns when they are gone.
func (f *Fleet) Stop() error {
	errs := make([]error, len(f.Servers))
	var wg sync.WaitGroup
	for i, s := range f.Servers {
		wg.Go(func() { errs[i] = s.Stop() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// miss records a server that is not there.
func (f *Fleet) miss(name, reason string) {
	f.Missing = append(f.Missing, Missing{Name: name, Reason: reason})
}

// ReportMissing writes one loud line for each missing server.
func ReportMissing(w io.Writer, missing []Missing) {
	for _, m := range missing {
		fmt.Fprintf(w, "sqlcas test servers: MISSING %s: %s\n", m.Name, m.Reason)
	}
}

// Installed returns the flavours of which this machine has a server.
func Installed(ctx context.Context) []string {
	found := findPrograms(ctx)
	return slices.DeleteFunc(Flavours(), func(name string) bool { return found[name] == nil })
}
