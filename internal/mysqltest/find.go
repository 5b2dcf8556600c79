package mysqltest

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// packageDirs are the folders that packages put servers in and that PATH often lacks: sbin for an
// ordinary user, libexec on Fedora, and Homebrew's versioned formulae, which it does not link.
func packageDirs() []string {
	dirs := []string{"/usr/sbin", "/usr/local/sbin", "/usr/libexec"}
	for _, brew := range []string{"/opt/homebrew/opt", "/usr/local/opt"} {
		for _, formula := range []string{"mariadb*", "mysql*"} {
			found, _ := filepath.Glob(filepath.Join(brew, formula, "bin"))
			dirs = append(dirs, found...)
		}
	}
	return dirs
}

// findPrograms returns the servers of this machine by flavour; for each the installed one first,
// then the unpacked tree. It starts every candidate once with --version (some 20 ms each).
func findPrograms(ctx context.Context) map[string]*program {
	found := map[string]*program{}
	for _, p := range installedPrograms(ctx) {
		if _, ok := found[p.name]; !ok {
			found[p.name] = p
		}
	}
	for _, name := range Flavours() {
		if _, ok := found[name]; ok {
			continue
		}
		if p := findUnpacked(ctx, name); p != nil {
			found[name] = p
		}
	}
	return found
}

// installedPrograms returns the servers on PATH and in packageDirs, in that order. A file is
// looked at once under its real name: MariaDB's packages also install themselves as "mysqld".
func installedPrograms(ctx context.Context) []*program {
	var programs []*program
	seen := map[string]bool{}
	dirs := append(filepath.SplitList(os.Getenv("PATH")), packageDirs()...)
	for _, dir := range dirs {
		for _, binary := range []string{"mariadbd", "mysqld"} {
			path, err := filepath.EvalSymlinks(filepath.Join(dir, binary))
			if err != nil || seen[path] || !filepath.IsAbs(path) {
				continue
			}
			seen[path] = true
			p := &program{binary: path}
			if p.probe(ctx) != nil {
				continue
			}
			if p.name = flavourOf(p.version); p.name != "" {
				programs = append(programs, p)
			}
		}
	}
	return programs
}

// findUnpacked returns the tree that [Install] made for a flavour, or nil when there is none, it
// is half made, or its server does not run here.
func findUnpacked(ctx context.Context, name string) *program {
	servers, err := cacheDir("servers")
	if err != nil {
		return nil
	}
	root := filepath.Join(servers, name)
	if !exists(filepath.Join(root, markerName)) {
		return nil
	}
	p, err := unpackedProgram(name, root)
	if err != nil || p.probe(ctx) != nil {
		return nil
	}
	return p
}

// parseDSNs reads "name=dsn;name=dsn" in its order. Parts without a name come back in bad, so that
// a typing mistake does not look like a missing server.
func parseDSNs(list string) (servers []namedDSN, bad []string) {
	for part := range strings.SplitSeq(list, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, dsn, ok := strings.Cut(part, "=")
		// "user:pw@tcp(host)/?a=b" may have an equals sign too, but is no name before it.
		if !ok || !serverName.MatchString(name) {
			bad = append(bad, part)
			continue
		}
		servers = append(servers, namedDSN{name: name, dsn: dsn})
	}
	return servers, bad
}

// serverName is what a name in SQLCAS_TEST_DSNS looks like.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// namedDSN is one entry of SQLCAS_TEST_DSNS.
type namedDSN struct{ name, dsn string }
