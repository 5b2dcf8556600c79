package mysqltest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// unpackFromArchive downloads a server with everything it needs, down to libc, and unpacks it into
// its own tree. apt works on private lists, cache and status folders: with an empty status file it
// believes that nothing is installed and fetches the whole closure, and the system's own package
// state is neither read nor changed.
func (in *installer) unpackFromArchive(ctx context.Context, name string, r recipe) error {
	release := osRelease("/etc/os-release")
	if release["ID"] != "debian" {
		return fmt.Errorf("unpacking needs Debian's archive and this is %q; install %s yourself "+
			"or set SQLCAS_TEST_DSNS=%s=dsn", release["ID"], r.pkg, name)
	}
	archives := debianArchives(readAptSources("/etc/apt"), release["VERSION_CODENAME"])
	if len(archives) == 0 {
		return errors.New("apt's sources have no Debian archive with this release's main component")
	}
	// Leftovers of an interrupted run; the lock makes sure that nobody is using them.
	stale, _ := filepath.Glob(filepath.Join(in.servers, ".work-*"))
	for _, dir := range stale {
		_ = os.RemoveAll(dir)
	}
	work, err := os.MkdirTemp(in.servers, ".work-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()

	for _, archive := range archives[:min(len(archives), 3)] {
		if err = in.download(ctx, name, r, archive, work); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return err
	}
	return in.unpack(ctx, name, work)
}

// download fetches the package's closure from one archive into work/cache/archives.
func (in *installer) download(
	ctx context.Context, name string, r recipe, archive aptSource, work string,
) error {
	for _, dir := range []string{"lists/partial", "cache/archives/partial", "state"} {
		if err := os.MkdirAll(filepath.Join(work, dir), 0o755); err != nil {
			return err
		}
	}
	arch, err := exec.CommandContext(ctx, "dpkg", "--print-architecture").Output()
	if err != nil {
		return fmt.Errorf("dpkg --print-architecture: %w", err)
	}
	options := append([]string{"arch=" + strings.TrimSpace(string(arch))}, archive.options...)
	list := fmt.Sprintf("deb [%s] %s %s main\n", strings.Join(options, " "), archive.uri, r.suite)
	files := map[string]string{"sid.list": list, "status": ""}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(work, file), []byte(text), 0o644); err != nil {
			return err
		}
	}
	apt := append([]string{"apt-get"}, privateApt(work, in.terminal)...)
	in.say("%s: reading the package lists of Debian %s", name, r.suite)
	if err := in.run(ctx, append(slices.Clone(apt), "update")...); err != nil {
		return err
	}
	in.say("%s: downloading %s and what it needs (%s)", name, r.pkg, r.size)
	return in.run(ctx, append(apt, "-y", "--no-install-recommends", "--download-only",
		"install", r.pkg)...)
}

// privateApt returns the options that keep apt-get inside work. The settings of this machine that
// reach the network (proxies, mirrors) stay; pins and a default release would only get in the way.
func privateApt(work string, terminal bool) []string {
	settings := []string{
		"Dir::Etc::sourcelist=" + filepath.Join(work, "sid.list"),
		"Dir::Etc::sourceparts=/dev/null",
		"Dir::Etc::preferences=/dev/null",
		"Dir::Etc::preferencesparts=/dev/null",
		"Dir::State=" + filepath.Join(work, "state"),
		"Dir::State::lists=" + filepath.Join(work, "lists"),
		"Dir::State::status=" + filepath.Join(work, "status"),
		"Dir::Cache=" + filepath.Join(work, "cache"),
		"APT::Default-Release=",
		"Acquire::Languages=none",
		"Acquire::Retries=2",
		"Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
		"Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false",
		// apt-get update hides a failed fetch behind a warning unless told so.
		"APT::Update::Error-Mode=any",
	}
	if os.Geteuid() == 0 {
		// The user that apt drops to cannot write below root's home, and may not exist at all.
		settings = append(settings, "APT::Sandbox::User=root")
	}
	if !terminal {
		settings = append(settings, "quiet=1")
	}
	var options []string
	for _, setting := range settings {
		options = append(options, "-o", setting)
	}
	return options
}

// unpack turns the downloaded packages into the tree servers/<name>. It builds beside the final
// place, tries the server there, writes the marker, and moves the tree last.
func (in *installer) unpack(ctx context.Context, name, work string) error {
	debs, err := filepath.Glob(filepath.Join(work, "cache", "archives", "*.deb"))
	if err != nil || len(debs) == 0 {
		return errors.New("apt-get downloaded nothing")
	}
	in.say("%s: unpacking %d packages", name, len(debs))
	tree := filepath.Join(work, "tree")
	for _, deb := range debs {
		if err := in.run(ctx, "dpkg-deb", "-x", deb, tree); err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(deb), err)
		}
		if err := os.Remove(deb); err != nil { // half of the disk space, at once
			return err
		}
	}
	p, err := unpackedProgram(name, tree)
	if err != nil {
		return err
	}
	if err := p.probe(ctx); err != nil {
		return err
	}
	marker := filepath.Join(tree, markerName)
	if err := os.WriteFile(marker, []byte(p.version+"\n"), 0o644); err != nil {
		return err
	}
	final := filepath.Join(in.servers, name)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Rename(tree, final); err != nil {
		return err
	}
	in.say("%s: installed %s in %s", name, p.version, final)
	return nil
}

// osRelease reads an os-release file; what cannot be read is empty.
func osRelease(path string) map[string]string {
	text, _ := os.ReadFile(path)
	values := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			values[name] = strings.Trim(value, `"'`)
		}
	}
	return values
}
