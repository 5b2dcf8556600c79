package mysqltest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ensures that versions as the servers print them are read and sorted into flavours, on both sides
// of the border inside MariaDB.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ output, version, flavour string }{
		{"/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))", "9.7.4-2", MySQL97},
		{
			"mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
			"10.11.19-MariaDB-0+deb12u1", MariaDB1011,
		},
		{"mysqld  Ver 11.5.2-MariaDB for osx10.19 on arm64", "11.5.2-MariaDB", MariaDB1011},
		{"mariadbd  Ver 11.6.2-MariaDB for Linux", "11.6.2-MariaDB", MariaDB118},
		{"mariadbd  Ver 12.0.2-MariaDB for Linux", "12.0.2-MariaDB", MariaDB118},
		{"mysqld  Ver 5.7.44 for Linux on x86_64", "5.7.44", ""},
		{"mysqld: command not found", "", ""},
	} {
		version := parseVersion(tt.output)
		if version != tt.version || flavourOf(version) != tt.flavour {
			t.Errorf("%q: got version %q of flavour %q, want %q of %q",
				tt.output, version, flavourOf(version), tt.version, tt.flavour)
		}
	}
}

// Ensures that given DSNs replace the search, that the restriction applies to them, and that a
// required one that is absent or an entry without a name is an error.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	const dsns = "mysql97=root@tcp(127.0.0.1:3307)/?a=b; mine=u:p@tcp(db)/ ;"
	for _, tt := range []struct{ dsns, only, require, slots, err string }{
		{dsns, "", "", "mysql97 mine", ""},
		{dsns, "mine", "", "mine", ""},
		{dsns, "", "mysql97", "mysql97 mine", ""},
		{dsns, "", "mysql97,mariadb118", "mysql97 mine", "asks for mariadb118, which is missing"},
		{dsns, "mine", "mysql97", "mine", ""}, // left out on purpose is not missing
		{"root:p=w@tcp(db)/", "", "", "", "not name=dsn"},
		{"", "mysql57", "", "", `no server flavour "mysql57"`},
	} {
		f := findSet(context.Background(), tt.dsns, tt.only, tt.require)
		var names []string
		for _, sl := range f.slots {
			names = append(names, sl.name)
		}
		if got := strings.Join(names, " "); got != tt.slots {
			t.Errorf("dsns %q only %q: got servers %q, want %q", tt.dsns, tt.only, got, tt.slots)
		}
		if (f.err == nil) != (tt.err == "") || f.err != nil && !strings.Contains(f.err.Error(), tt.err) {
			t.Errorf("dsns %q only %q require %q: got error %v, want %q",
				tt.dsns, tt.only, tt.require, f.err, tt.err)
		}
	}
}

// Ensures that both forms of apt's sources are read, that what is off, source-only or another
// release's is left out, and that the system's own archive goes before a third party's that
// calls its suite the same.
func TestDebianArchives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"sources.list": "deb https://third.example/stable/debian bookworm main\n" +
			"deb-src http://archive.example/debian bookworm main\n" +
			"deb cdrom:[Debian]/ bookworm main\n" +
			"deb [arch=amd64 signed-by=/k.gpg] http://archive.example/debian bookworm main contrib # x\n",
		"sources.list.d/updates.list": "deb http://archive.example/debian bookworm-updates main\n" +
			"deb http://archive.example/debian-security bookworm-security main\n",
		"sources.list.d/a.sources": "Types: deb\nEnabled: no\nURIs: http://off.example/debian\n" +
			"Suites: bookworm\nComponents: main\n\n# note\nTypes: deb deb-src\n" +
			"URIs: http://frozen.example/debian\nSuites: bookworm bookworm-updates\n" +
			"Components: main\nCheck-Valid-Until: no\nSigned-By:\n -----BEGIN KEY-----\n abc\n",
	}
	if err := os.MkdirAll(filepath.Join(dir, "sources.list.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, a := range debianArchives(readAptSources(dir), "bookworm") {
		got = append(got, a.uri+" ["+strings.Join(a.options, " ")+"]")
	}
	want := []string{
		"http://archive.example/debian [signed-by=/k.gpg]",
		"http://frozen.example/debian [check-valid-until=no]",
		"https://third.example/stable/debian []",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("archives:\ngot  %q\nwant %q", got, want)
	}
}

// Ensures that a tree without its marker, the rest of an interrupted install, is not used.
func TestHalfUnpackedTreeIsNotUsed(t *testing.T) {
	cache := t.TempDir()
	t.Setenv(cacheEnv, cache)
	root := filepath.Join(cache, "servers", MySQL97)
	lib := filepath.Join(root, "usr", "lib", "x86_64-linux-gnu")
	sbin := filepath.Join(root, "usr", "sbin")
	for _, dir := range []string{lib, sbin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// A loader that answers --version in the server's place.
	loader := "#!/bin/sh\necho 'mysqld  Ver 9.7.4 for Linux'\n"
	for path, text := range map[string]string{
		filepath.Join(lib, "ld-linux-x86-64.so.2"): loader,
		filepath.Join(sbin, "mysqld"):              "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if p := findUnpacked(t.Context(), MySQL97); p != nil {
		t.Errorf("tree without a marker: got %+v, want none", p)
	}
	if err := os.WriteFile(filepath.Join(root, markerName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if p := findUnpacked(t.Context(), MySQL97); p == nil || p.version != "9.7.4" {
		t.Errorf("tree with its marker: got %+v, want version 9.7.4", p)
	}
}
