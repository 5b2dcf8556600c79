package scriptdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Statement is what a connection was asked to do. Besides SQL texts there are the driver's own
// verbs: BEGIN, COMMIT and ROLLBACK, whether they come as statements or through driver.Tx, and
// CLOSE, which stands in no log and whose answer nobody sees.
type Statement struct {
	Query    string
	Args     []driver.NamedValue
	Prepared bool // it came through a driver.Stmt
	ViaTx    bool // it came through driver.Tx, which has no context
	Options  driver.TxOptions
	Conn     int // the ID of the connection it came on; set in what Sent returns
}

// Arg returns the i-th argument, the first being 0.
func (s Statement) Arg(i int) driver.Value { return s.Args[i].Value }

// String is the statement on one line as a server gets it where the driver puts the arguments into the
// text, without comments in front.
func (s Statement) String() string {
	text := s.Query
	if text == "BEGIN" {
		return "START TRANSACTION"
	}
	for strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	var b strings.Builder
	n := 0
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		if v, ok := s.Arg(n).(string); ok {
			b.WriteString("'" + v + "'")
		} else {
			fmt.Fprint(&b, s.Arg(n))
		}
		n++
	}
	return b.String()
}

// Reply is the answer to a statement; the zero value is success that changed and returned nothing.
type Reply struct {
	Affected int64
	LastID   int64
	Columns  []string
	Rows     [][]driver.Value
	NextErr  error // what Rows.Next ends with; nil: io.EOF
	CloseErr error // what Rows.Close returns
}

// Handler answers a statement. It runs on the goroutine that the statement came on, with no lock
// held, and may block until ctx ends.
type Handler func(ctx context.Context, c *Conn, st Statement) (Reply, error)

// Script is a database that a Handler plays. It is safe for concurrent use.
type Script struct {
	handle Handler
	bare   bool

	mu     sync.Mutex
	conns  []*Conn
	log    []string
	sent   []Statement
	dialed int
	closed int
}

// New makes a script whose connections have the optional interfaces of a modern driver. A nil
// handler answers everything with the zero Reply.
func New(handle Handler) *Script {
	if handle == nil {
		handle = func(context.Context, *Conn, Statement) (Reply, error) { return Reply{}, nil }
	}
	return &Script{handle: handle}
}

// NewBare makes a script whose connections have what driver.Conn demands and nothing else.
func NewBare(handle Handler) *Script {
	s := New(handle)
	s.bare = true
	return s
}

// Open returns a pool over the script. The caller closes it.
func (s *Script) Open() *sql.DB { return sql.OpenDB(s) }

// Connect opens a connection.
func (s *Script) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dialed++
	c := &Conn{script: s, ID: s.dialed}
	s.conns = append(s.conns, c)
	if s.bare {
		return bareConn{c}, nil
	}
	return c, nil
}

// Driver returns a driver that opens nothing by itself.
func (s *Script) Driver() driver.Driver { return scriptDriver{s} }

type scriptDriver struct{ s *Script }

func (d scriptDriver) Open(string) (driver.Conn, error) { return d.s.Connect(context.Background()) }

// Log returns the statements so far in order, each shortened to its first line that is no comment.
func (s *Script) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Sent returns the statements so far in order, whole. Those are left out that the library asks each
// connection once, whatever it is used for: which session it is.
func (s *Script) Sent() []Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.sent), func(st Statement) bool {
		return strings.HasPrefix(st.Query, "SELECT CONNECTION_ID(), ")
	})
}

// Count returns how many of the statements so far start with prefix.
func (s *Script) Count(prefix string) int {
	n := 0
	for _, l := range s.Log() {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// Dialed returns how many connections were opened, and Closed how many of them closed.
func (s *Script) Dialed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialed
}

// Closed returns how many connections were closed.
func (s *Script) Closed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Script) run(ctx context.Context, c *Conn, st Statement) (Reply, error) {
	line := st.Query
	for strings.HasPrefix(line, "--") {
		_, line, _ = strings.Cut(line, "\n")
	}
	line, _, _ = strings.Cut(line, "\n")
	s.mu.Lock()
	s.log = append(s.log, line)
	st.Conn = c.ID
	s.sent = append(s.sent, st)
	s.mu.Unlock()
	return s.handle(ctx, c, st)
}
