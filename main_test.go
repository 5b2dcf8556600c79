package sqlcas_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/scriptdb"
)

// TestMain fails the package if a goroutine outlives its tests. Nothing is ignored: every test
// closes the pool that it opens, which ends database/sql's own goroutine as well.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answers makes an attempt that gives one answer after the other, the last one for ever.
func answers(calls *int, list ...answer) sqlcas.Attempt {
	return func(context.Context) (int64, error) {
		a := list[min(*calls, len(list)-1)]
		*calls++
		time.Sleep(a.takes)
		return a.affected, a.err
	}
}

type answer struct {
	affected int64
	err      error
	takes    time.Duration // of fake time
}

var (
	won  = answer{affected: 1}
	lost = answer{affected: 0}
)

// server is an error as the driver makes it of a server's answer.
func server(number uint16) *mysql.MySQLError {
	return &mysql.MySQLError{Number: number, Message: "scripted"}
}

// pool opens a pool over a script for the length of the test.
func pool(t *testing.T, s *scriptdb.Script) *sql.DB {
	t.Helper()
	db := s.Open()
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// flat is a BackOff that always pauses for the same time.
type flat time.Duration

func (f flat) NextBackOff() time.Duration { return time.Duration(f) }
func (flat) Reset()                       {}
