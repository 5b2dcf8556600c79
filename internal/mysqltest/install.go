package mysqltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Missing is a server that could not be had, and why.
type Missing struct {
	Name   string // the flavour
	Reason string // one line, with what to do about it where that is known
}

// recipe says what to download for a flavour: a package, and the suite of Debian's archive.
type recipe struct {
	pkg, suite, size string
	brew, dnf        string // what the same server is called where there is no apt
}

// recipes are by flavour. sid moves; whatever version it has is taken, and reported.
var recipes = map[string]recipe{
	MySQL97: {
		pkg: "mysql-server-core", suite: "sid", size: "about 60 MB",
		brew: "mysql", dnf: "mysql-server",
	},
	MariaDB1011: {
		pkg: "mariadb-server-core", suite: "bookworm", size: "about 15 MB",
		brew: "mariadb@10.11", dnf: "mariadb-server",
	},
	MariaDB118: {
		pkg: "mariadb-server-core", suite: "sid", size: "about 20 MB",
		brew: "mariadb@11.8", dnf: "mariadb-server",
	},
}

// installer carries what the steps of one Install share.
type installer struct {
	out      *os.File
	terminal bool   // apt's own progress is for a terminal only
	servers  string // the folder with one unpacked tree a flavour
}

// Install makes the named servers available (all flavours when there is no name) and tells out
// what it does. A server that is found already is left as it is. MariaDB 10.11 comes as Debian's
// package through apt-get when this user may do that; everything else, and MariaDB 10.11 too when
// not, is unpacked below the cache folder, where the system never sees it.
//
// A server that cannot be had does not stop the others; it is in the result. The error is for
// what stops all of them. Two processes may call Install at once: the second one waits.
func Install(ctx context.Context, out *os.File, names ...string) ([]Missing, error) {
	servers, err := cacheDir("servers")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = Flavours()
	}
	unlock, err := lockFile(ctx, out, filepath.Join(servers, "install.lock"), "it installs servers")
	if err != nil {
		return nil, err
	}
	defer unlock()

	in := &installer{out: out, terminal: isTerminal(out), servers: servers}
	found := findPrograms(ctx)
	var missing []Missing
	for _, name := range names {
		if p, ok := found[name]; ok {
			in.say("%s: found %s (%s)", name, p.version, p.binary)
			continue
		}
		if err := in.install(ctx, name); err != nil {
			in.say("%s: not installed: %v", name, err)
			missing = append(missing, Missing{Name: name, Reason: firstLine(err)})
		}
	}
	return missing, nil
}

// install gets one server by the first way that this machine offers.
func (in *installer) install(ctx context.Context, name string) error {
	r, ok := recipes[name]
	if !ok {
		return fmt.Errorf("no server flavour %q", name)
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("no apt-get here; install it with `brew install %s` or `dnf install %s`, "+
			"or set SQLCAS_TEST_DSNS=%s=dsn", r.brew, r.dnf, name)
	}
	if name == MariaDB1011 {
		done, err := in.installPackage(ctx, name, r)
		if done {
			return nil
		}
		if err != nil {
			in.say("%s: the package did not install, unpacking it instead: %v", name, err)
		}
	}
	return in.unpackFromArchive(ctx, name, r)
}

// installPackage installs the server into the system, where this user may and the system's own
// archive has the wanted version. It reports whether the server is there now; neither done nor
// an error means that this way is not open.
func (in *installer) installPackage(ctx context.Context, name string, r recipe) (bool, error) {
	prefix, ok := asRoot(ctx)
	if !ok {
		return false, nil
	}
	apt := append(prefix, "apt-get", "-o", "DPkg::Lock::Timeout=120")
	if !in.candidate(ctx, r.pkg) {
		in.say("%s: apt-get update", name)
		if err := in.run(ctx, append(apt, "update")...); err != nil {
			return false, err
		}
		if !in.candidate(ctx, r.pkg) {
			return false, nil // this release has another version of it
		}
	}
	in.say("%s: apt-get install %s (the server's program only: no service, no port)", name, r.pkg)
	err := in.run(ctx, append(apt, "install", "-y", "--no-install-recommends", r.pkg)...)
	if err != nil {
		return false, err
	}
	p, ok := findPrograms(ctx)[name]
	if !ok {
		return false, errors.New("the installed server is not found or is another version")
	}
	in.say("%s: installed %s (%s)", name, p.version, p.binary)
	return true, nil
}

// candidate reports whether apt would install version 10.11 of the package.
func (in *installer) candidate(ctx context.Context, pkg string) bool {
	cmd := exec.CommandContext(ctx, "apt-cache", "policy", pkg)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, _ := cmd.Output()
	_, after, _ := strings.Cut(string(out), "Candidate:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.Contains(line, ":10.11.") || strings.HasPrefix(strings.TrimSpace(line), "10.11.")
}

// asRoot returns what to put before a command to run it as root, and whether that is possible
// without asking anybody for a password.
func asRoot(ctx context.Context) (prefix []string, ok bool) {
	if os.Geteuid() == 0 {
		return nil, true
	}
	// -n never prompts: a prompt inside `make test` would look like a hang.
	if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
		return nil, false
	}
	return []string{"sudo", "-n"}, true
}

// run runs a command. On a terminal its output goes straight there; piped, only its last lines
// show, and only when it fails.
func (in *installer) run(ctx context.Context, argv ...string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	// SIGTERM lets apt-get clean up its lock and partial files; CommandContext would send SIGKILL.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Writer(&output), io.Writer(&output)
	if in.terminal {
		cmd.Stdout, cmd.Stderr = in.out, io.MultiWriter(in.out, &output)
	}
	if err := cmd.Run(); err != nil {
		name := argv[slices.IndexFunc(argv, func(a string) bool { return a != "sudo" && a != "-n" })]
		return fmt.Errorf("%s: %w: %s", name, err, aptReason(output.Bytes()))
	}
	return nil
}

// aptReason picks apt's own error lines out of its output, or else the last lines.
func aptReason(output []byte) string {
	var reasons []string
	for line := range strings.SplitSeq(string(output), "\n") {
		if strings.HasPrefix(line, "E: ") {
			reasons = append(reasons, strings.TrimPrefix(line, "E: "))
		}
	}
	if len(reasons) == 0 {
		return lastLines(output, 3)
	}
	reason := strings.Join(reasons[:min(len(reasons), 2)], "; ")
	if strings.Contains(reason, "is expired") {
		// Signed, but old. Whether to accept that is for the machine's owner, so it is only named.
		reason += " The mirror is frozen or this clock is ahead; where that is meant, set " +
			"Acquire::Check-Valid-Until \"false\" in apt's configuration."
	}
	return reason
}

// say prints one line of progress.
func (in *installer) say(format string, args ...any) {
	fmt.Fprintf(in.out, "sqlcas servers: "+format+"\n", args...)
}

// isTerminal reports whether f is a terminal or another character device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// firstLine returns an error's text up to its first line break, for reports of one line.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(strings.TrimPrefix(line, "mysqltest: "), "; its log ends:")
}
