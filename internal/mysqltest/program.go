package mysqltest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// markerName is the file that says a tree was unpacked to its end. It is written last, so a tree
// without it is the rest of an interrupted install and is not used.
const markerName = "sqlcas-complete"

// program is a server that can be started: one that a package installed, or an unpacked tree.
type program struct {
	name    string   // the flavour
	binary  string   // path of mysqld or mariadbd
	loader  []string // what runs binary: empty, or the unpacked tree's own dynamic loader
	root    string   // the unpacked tree, "" for an installed server
	version string   // as `--version` has it
}

// command returns the argument vector that runs the server with args.
func (p *program) command(args ...string) []string {
	argv := append([]string{}, p.loader...)
	argv = append(argv, p.binary)
	return append(argv, args...)
}

// mariaDB reports which family the server is of.
func (p *program) mariaDB() bool { return isMariaDB(p.version) }

// pathFlags returns the flags that make an unpacked server look into its own tree. An installed
// server has these compiled in.
func (p *program) pathFlags() []string {
	if p.root == "" {
		return nil
	}
	usr := filepath.Join(p.root, "usr")
	share := filepath.Join(usr, "share", "mysql")
	if p.mariaDB() {
		// Newer packages use share/mariadb, older ones share/mysql.
		if dir := filepath.Join(usr, "share", "mariadb"); exists(dir) {
			share = dir
		}
	}
	return []string{
		"--basedir=" + usr,
		"--lc-messages-dir=" + share,
		"--character-sets-dir=" + filepath.Join(share, "charsets"),
		"--plugin-dir=" + filepath.Join(usr, "lib", "mysql", "plugin"),
	}
}

// probe runs `--version` and fills in version. An error says what the binary printed, because a
// tree with a missing library fails right here.
func (p *program) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	argv := p.command("--no-defaults", "--version")
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mysqltest: %s --version: %w: %s", p.binary, err, lastLines(out, 3))
	}
	if p.version = parseVersion(string(out)); p.version == "" {
		return fmt.Errorf("mysqltest: %s --version printed no version: %s", p.binary, lastLines(out, 3))
	}
	return nil
}

// unpackedProgram describes the server in an unpacked tree without running it. The folder of the
// libraries carries the machine's triplet (x86_64-linux-gnu, aarch64-linux-gnu), so it is found by
// the loader that lies in it: below /usr in newer suites, below /lib in older ones, whose other
// libraries are in both.
func unpackedProgram(name, root string) (*program, error) {
	var loaders []string
	for _, lib := range []string{"usr/lib", "lib"} {
		found, _ := filepath.Glob(filepath.Join(root, lib, "*-linux-gnu*", "ld-linux*.so.*"))
		loaders = append(loaders, found...)
	}
	if len(loaders) == 0 {
		return nil, fmt.Errorf("mysqltest: no dynamic loader in %s", root)
	}
	triplet := filepath.Base(filepath.Dir(loaders[0]))
	libs := strings.Join([]string{
		filepath.Join(root, "usr", "lib", triplet),
		filepath.Join(root, "lib", triplet),
		filepath.Join(root, "usr", "lib", "mysql"),
	}, ":")
	for _, binary := range []string{"mariadbd", "mysqld"} {
		if path := filepath.Join(root, "usr", "sbin", binary); exists(path) {
			loader := []string{loaders[0], "--library-path", libs}
			return &program{name: name, binary: path, loader: loader, root: root}, nil
		}
	}
	return nil, fmt.Errorf("mysqltest: no mysqld or mariadbd in %s", root)
}

// exists reports whether path is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lastLines returns the last n lines of text, the part of a log that says why.
func lastLines(text []byte, n int) string {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
