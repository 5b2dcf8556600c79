package txn

import (
	"context"
	"database/sql"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
)

// aside has look done on another connection of the pool, and on one more whenever the one that it was given turns out
// to be dead. Where all connections were cut at once, by a proxy or a server that started again, the pool does not know
// yet, and hands out one dead connection after the other. Whatever look does can be done again: KILL, and reads.
func aside(ctx context.Context, db *sql.DB, look func(conn *sql.Conn) error) error {
	for left := db.Stats().Idle + beginTries; ; left-- {
		err := asideOnce(ctx, db, look)
		if left <= 1 || ctx.Err() != nil || mysqlerr.Classify(err) != mysqlerr.Lost {
			return err
		}
	}
}

func asideOnce(ctx context.Context, db *sql.DB, look func(conn *sql.Conn) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if mysqlerr.Classify(err) == mysqlerr.Lost {
			discard(conn)
		}
		_ = conn.Close()
	}()
	return look(conn)
}

// endLater has a session ended by whichever connection the pool has to spare next. The pool may be full of calls that
// wait for the very locks that the session holds.
func endLater(db *sql.DB, ident identity) {
	post(db, lateBound, func(ctx context.Context, conn *sql.Conn) error { return endSession(ctx, conn, ident) })
}
