package txn

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// sentry stands beside a statement that may wait for a lock, and ends it from another connection
// when a context ends. The statement's own connection goes on listening, so that what became of the
// statement is known, and stays good.
type sentry struct {
	db     *sql.DB
	ident  *identity
	giveUp func() // closes the connection: nobody listens any more
	stop   func() bool

	mu       sync.Mutex
	finished chan struct{} // closed when the statement has returned; made by the first who needs it
	ended    chan struct{} // closed when the sentry has left; made with it

	killed bool    // a KILL QUERY may have been sent
	err    error   // why it was not carried out
	holder *Holder // whose lock the statement waited for
	asks   bool    // holder is wanted
}

// answerBound is how long a statement that is being killed may take to say so. A KILL QUERY that reaches
// the server before its statement has no effect, so that it is sent again at intervals.
const (
	answerBound = killBound
	killAgain   = 50 * time.Millisecond
)

// watch posts the sentry. A caller that gets no answer in time gives up.
func (s *sentry) watch(ctx context.Context) {
	s.stop = context.AfterFunc(ctx, s.act)
}

// release must be called when the statement has returned; it waits for a sentry that is acting. After
// it, nothing more is sent to the session.
func (s *sentry) release() (killed bool, err error) {
	if s.stop() {
		return false, nil
	}
	s.meet()
	close(s.finished)
	<-s.ended
	return s.killed, s.err
}

// meet makes the channels over which statement and sentry meet, which most never do.
func (s *sentry) meet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished == nil {
		s.finished, s.ended = make(chan struct{}), make(chan struct{})
	}
}

func (s *sentry) act() {
	s.meet()
	defer close(s.ended)
	ctx, cancel := context.WithTimeout(context.Background(), answerBound)
	defer cancel()
	for {
		started, err := ask(ctx, s.db, s.finished, s.end)
		s.killed = s.killed || started
		switch {
		case err != nil:
			s.err = err
		case !started:
			return // the statement has returned
		case s.answered(ctx, killAgain):
			return
		case ctx.Err() != nil:
			s.err = errors.New("KILL QUERY was not answered")
		}
		if s.err != nil {
			s.giveUp()
			return
		}
	}
}

// answered reports whether the statement returns within d.
func (s *sentry) answered(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.finished:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// end is the job that ends the statement.
func (s *sentry) end(ctx context.Context, conn *sql.Conn) error {
	if s.asks && s.holder == nil {
		s.holder = findHolder(ctx, conn, *s.ident)
	}
	return endStatement(ctx, conn, *s.ident)
}
