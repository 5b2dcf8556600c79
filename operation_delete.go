package sqlcas

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
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
// stays so; the statement that was under way is rolled back. If the answer to a COMMIT is lost, it is done again, and
// what it may have deleted is not in the count. Inside the closure of a harness on the same database it is ErrNested.
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
		old, last, err := oldOperations(ctx, db, after, olderThan)
		if err != nil {
			return deleted, err
		}
		for ids := range slices.Chunk(old, deletedAtOnce) {
			n, err := deleteOperations(ctx, db, ids, olderThan)
			deleted += n
			if err != nil {
				return deleted, err
			}
		}
		if last == "" {
			return deleted, nil
		}
		after = last
	}
}

// oldOperations reads a page of the ids, and which is the last of it. On a session that does not commit each
// statement a plain SELECT would keep its snapshot; txn.Read does not.
func oldOperations(
	ctx context.Context, db *sql.DB, after string, olderThan time.Duration,
) (old [][]byte, last string, err error) {
	c, err := newCall(nil)
	if err != nil {
		return nil, "", err
	}
	err = c.run(ctx, func(ctx context.Context) ruling {
		err := txn.Read(ctx, db, func(ctx context.Context, db txn.DBTX) (err error) {
			old, last, err = operation.Page(ctx, db, after, olderThan)
			return err
		})
		switch {
		case err == nil:
			return ruling{outcome: OutcomeSuccess}
		case ctx.Err() != nil:
			return ruling{outcome: OutcomeCanceled, err: c.canceled(ctx, err)}
		}
		return judgeClass(c.settings.ClassOf(err), err)
	})
	return old, last, err
}

// deleteOperations deletes those of the ids that are still old, in a transaction: a session that does not commit
// each statement would roll them back when its connection is closed, and lock them until then.
func deleteOperations(ctx context.Context, db *sql.DB, ids [][]byte, olderThan time.Duration) (deleted int64, err error) {
	c, err := newCall(nil)
	if err != nil {
		return 0, err
	}
	err = c.run(ctx, func(ctx context.Context) ruling {
		var n int64
		res := txn.Run(ctx, db, c.settings, func(ctx context.Context, tx *sql.Tx) (err error) {
			n, err = operation.Delete(ctx, tx, ids, olderThan)
			return err
		})
		switch res.Outcome {
		case txn.Committed:
			deleted = n
		case txn.Unknown: // what has been deleted can be deleted again
			if ctx.Err() == nil {
				return judgeClass(mysqlerr.Lost, res.Err)
			}
			return ruling{outcome: OutcomeCanceled, err: c.canceled(ctx, res.Err)}
		}
		return c.judgeTx(ctx, res)
	})
	return deleted, err
}
