package mysqltest

import (
	"path/filepath"
	"strconv"
)

// Options shape a server that is booted for one purpose; see [Boot] and [Start]. The zero value is
// what the shared servers of tests have: fast, and nothing survives a crash.
type Options struct {
	// Durable makes every commit reach the disk before it is answered, with the binary log on, and
	// keeps the data on the disk of the cache folder (a temporary folder is often memory). Use it
	// for benchmarks and demonstrations. It implies Restartable.
	Durable bool

	// Restartable makes commits survive [Server.Kill]: they have reached the kernel when they are
	// answered, though not the disk. Without it InnoDB writes its log once a second, and a killed
	// server forgets commits that it had answered.
	Restartable bool

	// PerformanceSchema turns it on, for tests that read metadata_locks or data_locks. It costs
	// memory and time to start.
	PerformanceSchema bool

	// Flags are added last, so they win; for instance "--innodb-lock-wait-timeout=2".
	Flags []string
}

// maxConnections is far above a full `go test ./...` against one server: packages run in parallel
// and tests open pools without a limit.
const maxConnections = 1000

// serverFlags returns the command line of a server on dir (data in dir/data) and port.
func serverFlags(p *program, o Options, dir string, port int) []string {
	flags := []string{
		"--no-defaults",
		"--datadir=" + filepath.Join(dir, "data"),
		"--bind-address=127.0.0.1",
		"--port=" + strconv.Itoa(port),
		// Relative to the data folder: a full path may be longer than a socket's may be.
		"--socket=s",
		"--pid-file=" + filepath.Join(dir, "pid"),
		// Temporary tables of a killed server would otherwise stay in the system's folder.
		"--tmpdir=" + filepath.Join(dir, "tmp"),
		"--max-connections=" + strconv.Itoa(maxConnections),
		"--performance-schema=" + onOff(o.PerformanceSchema),
	}
	flags = append(flags, userFlags()...)
	flags = append(flags, p.pathFlags()...)
	if p.mariaDB() {
		flags = append(flags, "--skip-name-resolve")
	} else {
		// MySQL's only account is root@localhost, and 127.0.0.1 is that only with name resolution.
		flags = append(flags, "--secure-file-priv=", "--mysqlx=OFF")
	}
	flags = append(flags, durabilityFlags(p, o)...)
	return append(flags, o.Flags...)
}

// durabilityFlags returns what a commit costs and what it is worth.
func durabilityFlags(p *program, o Options) []string {
	if o.Durable {
		flags := []string{
			"--server-id=1", "--log-bin=binlog", "--sync-binlog=1",
			"--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=256M",
		}
		if p.mariaDB() {
			return append(flags, "--innodb-log-file-size=96M")
		}
		return append(flags, "--loose-innodb-redo-log-capacity=100M")
	}
	// A killed process can leave a page half written, so who wants to restart needs doublewrite.
	commit, doublewrite := "0", "0"
	if o.Restartable {
		commit, doublewrite = "2", "1"
	}
	flags := []string{
		"--skip-log-bin", "--innodb-buffer-pool-size=64M",
		"--innodb-flush-log-at-trx-commit=" + commit, "--innodb-doublewrite=" + doublewrite,
	}
	if p.mariaDB() {
		return append(flags, "--innodb-log-file-size=8M")
	}
	return append(flags, "--loose-innodb-redo-log-capacity=16M", "--innodb-flush-method=nosync")
}

// onOff spells a switch as the servers' flags do.
func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}
