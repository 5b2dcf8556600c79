package faulttest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/sqlcas/sqlcas/gen/shop"
)

var (
	errRefusal = errors.New("refused")
	errPanic   = errors.New("panicked")
	errExited  = errors.New("its goroutine has ended")
)

// conduct is what a closure does besides signing the row; want says whether its caller's error is right.
type conduct struct {
	name string
	do   func(a *shop.Account) error
	want func(err error) bool
}

func isServerError(number uint16) func(error) bool {
	return func(err error) bool {
		var server *mysql.MySQLError
		return errors.As(err, &server) && server.Number == number
	}
}

func isNil(err error) bool { return err == nil }

func isJust(want error) func(error) bool { return func(err error) bool { return err == want } }

// tooLong is more than an owner's column holds.
var tooLong = strings.Repeat("x", 65)

// narrow makes the balance's column one that a Go value may be too large for.
const narrow = "ALTER TABLE account MODIFY balance INT NOT NULL"

var conducts = []conduct{
	{"succeeds", func(*shop.Account) error { return nil }, isNil},
	{"refuses", func(a *shop.Account) error { a.Balance = -1; return errRefusal }, isJust(errRefusal)},
	{"panics", func(a *shop.Account) error { a.Balance = -1; panic(errPanic) }, isJust(errPanic)},
	{"exits", func(a *shop.Account) error { a.Balance = -1; runtime.Goexit(); return nil }, isJust(errExited)},
	{"blocks", func(*shop.Account) error { time.Sleep(rand.N(120 * time.Millisecond)); return nil }, isNil},
	{"is too long", func(a *shop.Account) error { a.Owner += tooLong; return nil }, isServerError(1406)},
	{"is out of range", func(a *shop.Account) error { a.Balance += 1 << 40; return nil }, isServerError(1264)},
}

// draw picks a conduct: most succeed, few block.
func draw() conduct {
	switch n := rand.IntN(1000); {
	case n < 780:
		return conducts[0]
	case n < 880:
		return conducts[1]
	case n < 910:
		return conducts[2]
	case n < 940:
		return conducts[3]
	case n < 942:
		return conducts[4]
	case n < 971:
		return conducts[5]
	}
	return conducts[6]
}

// hurry returns the context of a call that most often has all the time it wants, and else little, or is given up
// when it is in line, in a batch, or done.
func hurry(ctx context.Context) (own context.Context, cancel context.CancelFunc, hurried bool) {
	switch n := rand.IntN(100); {
	case n < 10:
		own, cancel = context.WithTimeout(ctx, rand.N(5*time.Millisecond))
		return own, cancel, true
	case n < 15:
		own, end := context.WithCancel(ctx)
		timer := time.AfterFunc(rand.N(200*time.Millisecond), end)
		return own, func() { timer.Stop(); end() }, true
	}
	return ctx, func() {}, false
}
