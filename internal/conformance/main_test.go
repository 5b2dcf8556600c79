package conformance

import (
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// parallelTests is how many tests run at once. They wait for locks and for the servers more than
// they compute, so that one per core would leave the cores idle. The flag -parallel overrides it.
const parallelTests = "16"

// TestMain prints the tables of the run when all tests are over, and looks for goroutines that
// outlived them once the servers are stopped; or it is one of the processes that a test starts.
func TestMain(m *testing.M) {
	if os.Getenv(onceProcessEnv) != "" {
		if err := playOnce(); err != nil {
			fmt.Fprintln(os.Stderr, "process:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if !isSet("test.parallel") {
		if err := flag.Set("test.parallel", parallelTests); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(&printing{mysqltest.Main(m)})
}

func isSet(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// printing is a Runner that shows what came out.
type printing struct{ *mysqltest.Runner }

// Run runs the tests and prints.
func (p *printing) Run() int {
	code := p.Runner.Run()
	mysqltest.Tables(func(w io.Writer) {
		result.print(w)
		outcomes.print(w)
		loads.print(w)
		printStoreRuns(w)
	})
	return code
}
