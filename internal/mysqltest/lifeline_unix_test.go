//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mysqltest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ownerEnv makes this test binary play the owner of a server in a process of its own.
const ownerEnv = "SQLCAS_TEST_PLAY_OWNER"

// running reports whether a process is there and not a zombie.
func running(pid int) bool {
	return syscall.Kill(pid, 0) == nil && !dead(pid, nil)
}

// Ensures that Stop returns only when the process is gone and the folder removed, and may be
// called again.
func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	EachOwn(t, Options{}, func(t *testing.T, s *Server) {
		pid, dir := s.PID(), s.dir
		if !running(pid) || !exists(dir) {
			t.Fatalf("server process %d or folder %s is not there to begin with", pid, dir)
		}
		for range 2 {
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
		}
		if running(pid) || exists(dir) {
			t.Errorf("after Stop: process running %v, folder there %v", running(pid), exists(dir))
		}
	})
}

// Ensures that SIGKILL of the process that booted a server ends the server and removes its folder.
func TestLifelineSurvivesNoOwner(t *testing.T) {
	t.Parallel()
	Each(t, func(t *testing.T, s *Server) {
		if programs()[s.Name] == nil {
			t.Skip("not this machine's server")
		}
		owner := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPlayOwner$")
		owner.Env = append(os.Environ(), ownerEnv+"="+s.Name)
		out, err := owner.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := owner.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		var dir string
		if _, err := fmt.Fscan(bufio.NewReader(out), &pid, &dir); err != nil {
			t.Fatal(err)
		}
		if !running(pid) || !exists(dir) {
			t.Fatalf("process %d or folder %s is not there to begin with", pid, dir)
		}
		_ = owner.Process.Kill()
		_ = owner.Wait()
		deadline := time.Now().Add(15 * time.Second)
		for (running(pid) || exists(dir)) && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if running(pid) || exists(dir) {
			t.Errorf("15 s after the owner's end: server running %v, folder there %v",
				running(pid), exists(dir))
		}
	})
}

// Not a test: the owner of TestLifelineSurvivesNoOwner. It boots a server, tells where it is, and
// waits to be killed.
func TestPlayOwner(t *testing.T) {
	name := os.Getenv(ownerEnv)
	if name == "" {
		t.Skip("only in a process that another test starts")
	}
	s, err := Boot(context.Background(), os.Stderr, name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(s.PID(), s.dir)
	select {}
}

// Ensures that processes which need the same template at once make it once, behind the lock, and
// that the rest of an interrupted making is cleared away.
func TestTemplateIsMadeOnce(t *testing.T) {
	if os.Getenv(cacheEnv) != "" {
		t.Skip(cacheEnv + " is in use")
	}
	skipShort(t)
	p := programs()[MariaDB1011]
	if p == nil {
		t.Skip("mariadb1011 is not installed")
	}
	cache := t.TempDir()
	half := filepath.Join(cache, "templates", MariaDB1011+"-"+p.version+"-"+templateEdition+".work-1")
	if err := os.MkdirAll(half, 0o755); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	outputs := make([]string, 3)
	for i := range outputs {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPlayTemplate$", "-test.v")
			cmd.Env = append(os.Environ(), cacheEnv+"="+cache, ownerEnv+"="+MariaDB1011)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("process %d: %v: %s", i, err, out)
			}
			outputs[i] = string(out)
		})
	}
	wg.Wait()
	var inodes []string
	for _, out := range outputs {
		_, after, _ := strings.Cut(out, "template inode ")
		inode, _, _ := strings.Cut(after, "\n")
		inodes = append(inodes, inode)
	}
	if inodes[0] == "" || inodes[0] != inodes[1] || inodes[1] != inodes[2] {
		t.Errorf("folders that the processes got: %q, want the same one", inodes)
	}
	if exists(half) {
		t.Error("the rest of an interrupted making is still there")
	}
}

// Not a test: one process of TestTemplateIsMadeOnce.
func TestPlayTemplate(t *testing.T) {
	name := os.Getenv(ownerEnv)
	if name == "" {
		t.Skip("only in a process that another test starts")
	}
	dir, err := template(t.Context(), programs()[name], os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("template inode %d\n", info.Sys().(*syscall.Stat_t).Ino)
}
