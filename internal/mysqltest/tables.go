package mysqltest

import (
	"io"
	"os"
)

// tablesEnv names a file that collects what people should see of a run. `go test` hides what a
// package prints when its tests pass.
const tablesEnv = "SQLCAS_TEST_TABLES"

// Tables calls print with the place for a run's tables: the file that SQLCAS_TEST_TABLES names,
// behind what is in it already, or else standard error.
func Tables(print func(io.Writer)) {
	w := io.Writer(os.Stderr)
	if name := os.Getenv(tablesEnv); name != "" {
		if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			defer f.Close()
			w = f
		}
	}
	print(w)
}
