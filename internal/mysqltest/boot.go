package mysqltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	bootDeadline = 30 * time.Second
	pingInterval = 25 * time.Millisecond
	portAttempts = 5
)

// errPortTaken says that somebody else got the port between our look and the server's start.
var errPortTaken = errors.New("mysqltest: the port is taken")

// Boot starts a server of its own on this machine's programs, whatever SQLCAS_TEST_DSNS says, and
// returns when it answers (0.2-2 s; some seconds more the very first time). The caller must Stop
// it; if this process ends without that, server and folder go too. What takes long is told on out.
func Boot(ctx context.Context, out io.Writer, name string, o Options) (*Server, error) {
	p, ok := findPrograms(ctx)[name]
	if !ok {
		return nil, fmt.Errorf("mysqltest: %s is not installed; run `make servers`", name)
	}
	return boot(ctx, out, p, o)
}

// boot starts p, on another port when the first one is gone by the time the server takes it.
func boot(ctx context.Context, out io.Writer, p *program, o Options) (*Server, error) {
	data, err := template(ctx, p, out)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		s, err := bootOn(ctx, p, o, data)
		if !errors.Is(err, errPortTaken) || attempt == portAttempts {
			return s, err
		}
	}
}

// bootOn makes the server's folder from the template data and starts it on a free port.
func bootOn(ctx context.Context, p *program, o Options, data string) (*Server, error) {
	parent := "" // the system's temporary folder
	if o.Durable {
		var err error
		if parent, err = cacheDir("run"); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp(parent, "sqlcas-"+p.name+"-")
	if err != nil {
		return nil, fmt.Errorf("mysqltest: server folder: %w", err)
	}
	if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(data)); err != nil {
		return nil, errors.Join(fmt.Errorf("mysqltest: copy template: %w", err), os.RemoveAll(dir))
	}
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("mysqltest: server folder: %w", err), os.RemoveAll(dir))
	}
	port, err := freePort()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	life, pid, err := startLifeline(dir, p.command(serverFlags(p, o, dir, port)...))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = "root", "tcp", fmt.Sprintf("127.0.0.1:%d", port)
	s := &Server{Name: p.name, base: cfg, life: life, pid: pid, dir: dir}
	if err := s.await(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// freePort returns a port that nobody listens on right now.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("mysqltest: free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// await pings until the server answers, dies, or the deadline is over; errors carry the log's end.
func (s *Server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bootDeadline)
	defer cancel()
	for {
		err := s.identify(ctx)
		if err == nil {
			return nil
		}
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		if dead(s.pid, log) {
			if bytes.Contains(log, []byte("Address already in use")) {
				return errPortTaken
			}
			return fmt.Errorf("mysqltest: %s ended while starting; its log ends:\n%s",
				s.Name, lastLines(log, 20))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("mysqltest: %s does not answer after %v: %w; its log ends:\n%s",
				s.Name, bootDeadline, err, lastLines(log, 20))
		case <-time.After(pingInterval):
		}
	}
}

// identify connects and fills in Version. It makes sure that the answer comes from our own server
// and not from another one that took the port first.
func (s *Server) identify(ctx context.Context) error {
	cfg := s.base.Clone()
	cfg.Timeout, cfg.Logger = 5*time.Second, &mysql.NopLogger{} // refused connections are no news
	db, err := open(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var version, data string
	err = db.QueryRowContext(ctx, "SELECT VERSION(), @@datadir").Scan(&version, &data)
	if err != nil {
		return err
	}
	if s.dir != "" && !strings.Contains(data, filepath.Base(s.dir)) {
		return errPortTaken
	}
	if s.Version != version { // others may be reading it during a restart
		s.Version = version
	}
	return nil
}

// dead reports whether a server process has ended. The lifeline's shell waits for it only when it
// is told to, so an ended one is a zombie that kill(pid, 0) would still find; Linux shows the
// state. Elsewhere the server's last words have to do, and the deadline for what has none.
func dead(pid int, log []byte) bool {
	if runtime.GOOS != "linux" {
		return bytes.HasSuffix(bytes.TrimSpace(log), []byte("Aborting"))
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return exists("/proc/self") // without /proc there is nothing to tell
	}
	// The state follows the name, which is in brackets and may hold anything.
	_, state, ok := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ")
	return ok && strings.HasPrefix(state, "Z")
}
