package mysqltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ensures that every flavour can be unpacked from Debian's archive and then boots, MariaDB 10.11
// too, which Install takes as a package where it may. It downloads some 90 MB, so only
// SQLCAS_TEST_INSTALL=1 runs it.
func TestUnpackFromArchive(t *testing.T) {
	if os.Getenv("SQLCAS_TEST_INSTALL") == "" {
		t.Skip("downloads; set SQLCAS_TEST_INSTALL=1 to run it")
	}
	t.Setenv(cacheEnv, t.TempDir())
	servers, err := cacheDir("servers")
	if err != nil {
		t.Fatal(err)
	}
	in := &installer{out: os.Stderr, servers: servers}
	for _, name := range Flavours() {
		if err := in.unpackFromArchive(t.Context(), name, recipes[name]); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p := findUnpacked(t.Context(), name)
		if p == nil {
			t.Errorf("%s is not found after it was unpacked", name)
			continue
		}
		s, err := boot(t.Context(), os.Stderr, p, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s boots", s)
		if err := s.Stop(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(servers, ".work-*"))
	if len(left) > 0 {
		t.Errorf("work folders are left: %v", left)
	}
}

// Ensures that a failed download is reported by apt's own reason, in one line, also when apt
// prints much around it.
func TestInstallReasons(t *testing.T) {
	t.Parallel()
	in := &installer{out: os.Stderr}
	err := in.run(t.Context(), "sh", "-c",
		"echo noise; echo 'E: Unable to locate package x'; echo 'W: more'; exit 100")
	want := "sh: exit status 100: Unable to locate package x"
	if err == nil || !strings.Contains(firstLine(err), want) {
		t.Errorf("failed command: got %v, want apt's reason in the first line", err)
	}
	err = in.run(t.Context(), "sh", "-c", "echo plain words; exit 3")
	if err == nil || !strings.Contains(firstLine(err), "plain words") {
		t.Errorf("failed command without a reason: got %v, want its last words", err)
	}
}
