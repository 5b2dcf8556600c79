package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// vulndb is the module whose folder data/osv holds one JSON report a vulnerability. It is only
// downloaded into the module cache and read; nothing of it is compiled, and no go.mod requires it.
const vulndb = "golang.org/x/vulndb"

// newestModule downloads the newest version that the configured module proxy serves, about 70 MB
// unpacked, and none if the cache has it.
func newestModule(ctx context.Context) (url, name string, err error) {
	return download(ctx)
}

// cachedModule asks the module cache alone, so that it works without any network. What is in the
// cache was compared with the checksum database when it came.
func cachedModule(ctx context.Context) (url, name string, err error) {
	cache, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "", "", fmt.Errorf("go env GOMODCACHE: %w", err)
	}
	files := fileURL(filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	return download(ctx, "GOPROXY="+files, "GONOSUMDB="+vulndb)
}

// download has the go command resolve and fetch the module, with env added to its environment. It
// runs outside any module: inside one it would write that module's go.sum.
func download(ctx context.Context, env ...string) (url, name string, err error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", vulndb+"@latest")
	cmd.Dir = os.TempDir()
	cmd.Env = append(append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "GOFLAGS="), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	var mod struct{ Dir, Version, Error string }
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", "", fmt.Errorf("go mod download: %w: %s", errors.Join(runErr, err), &stderr)
	}
	if mod.Error != "" || mod.Dir == "" {
		return "", "", fmt.Errorf("go mod download: %s", strings.TrimSpace(mod.Error))
	}
	// govulncheck takes a flat folder of reports and indexes it itself; TestRunReadsFlatFolder
	// fails if a later version no longer does.
	return fileURL(filepath.Join(mod.Dir, "data", "osv")), vulndb + " " + mod.Version, nil
}

// fileURL is the URL of an absolute path.
func fileURL(path string) string {
	return "file://" + filepath.ToSlash(path)
}
