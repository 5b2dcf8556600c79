package sqlcas

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/internal/txn"
)

// deletedAtOnce is how many operations one statement of DeleteOperations deletes at most: few enough that
// nobody waits long for its locks.
const deletedAtOnce = 200

// DeleteOperations deletes the ids of operations that are older than olderThan by the server's clock, and
// returns how many it has deleted, also with an error. sqlcas_operation grows by a row for each operation and
// nothing else empties it: call this now and then, from one process or several.
//
// An operation whose id has been deleted is applied again when it is asked for again, so that olderThan must
// be longer than any client, queue or person goes on retrying, by a good margin: days rather than hours. It
// must be positive.
//
// It walks through the table by its primary key, and deletes a few hundred rows a statement, each a
// transaction of its own. Writers wait for the rows of one such statement at most; its deadlocks and lock wait
// timeouts are retried as RetryTx's are. If ctx ends, the error is ctx's, and what has been deleted by then
// stays so; the statement that was under way may still be carried out, and is not in the count. Inside the
// closure of a harness on the same database it is ErrNested.
func DeleteOperations(ctx context.Context, db *sql.DB, olderThan time.Duration) (deleted int64, err error) {
	switch {
	case ctx == nil:
		return 0, invalid("DeleteOperations: the context is nil: give context.Background() if there is no other")
	case db == nil:
		return 0, invalid("DeleteOperations: the *sql.DB is nil")
	case olderThan <= 0:
		return 0, invalid("DeleteOperations(%v): give a positive age, longer than anybody retries", olderThan)
	}
	if inside, _ := txn.Enclosing(ctx).On(db); inside != nil {
		return 0, fmt.Errorf("%w: DeleteOperations would work outside of the transaction whose closure calls it: "+
			"call it outside", ErrNested)
	}
	for after := ""; ; {
		var old [][]byte
		err := again(ctx, func(ctx context.Context) (err error) {
			old, after, err = operation.Page(ctx, db, after, olderThan)
			return err
		})
		if err != nil {
			return deleted, err
		}
		for ids := range slices.Chunk(old, deletedAtOnce) {
			err := again(ctx, func(ctx context.Context) error {
				n, err := operation.Delete(ctx, db, ids, olderThan)
				deleted += n
				return err
			})
			if err != nil {
				return deleted, err
			}
		}
		if after == "" {
			return deleted, nil
		}
	}
}

// again sends a statement that may be repeated, until it is not lost to others.
func again(ctx context.Context, send func(context.Context) error) error {
	c, err := newCall(nil)
	if err != nil {
		return err
	}
	return c.run(ctx, func(ctx context.Context) ruling {
		err := send(ctx)
		switch {
		case err == nil:
			return ruling{outcome: OutcomeSuccess}
		case ctx.Err() != nil:
			return ruling{outcome: OutcomeCanceled, err: c.canceled(ctx, err)}
		}
		return judgeClass(c.settings.ClassOf(err), err)
	})
}
