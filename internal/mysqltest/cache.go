package mysqltest

import (
	"fmt"
	"os"
	"path/filepath"
)

// cacheEnv overrides the folder that templates and unpacked servers are kept in.
const cacheEnv = "SQLCAS_TEST_CACHE"

// cacheDir returns a folder below sqlcas's cache folder, for instance cacheDir("templates"), and
// makes it. It is the user's cache folder, never the project's tree: a checkout can be removed
// without a thought and a second one finds the servers again.
func cacheDir(name string) (string, error) {
	root := os.Getenv(cacheEnv)
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("mysqltest: no cache folder: %w; set HOME or %s", err, cacheEnv)
		}
		root = filepath.Join(user, "sqlcas")
	}
	// The servers change into their data folder, so a relative path would stop meaning anything.
	root, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("mysqltest: %s: %w", cacheEnv, err)
	}
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("mysqltest: cache folder: %w", err)
	}
	return dir, nil
}
