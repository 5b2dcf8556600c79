package operation

import (
	"context"
	"time"

	"github.com/sqlcas/sqlcas/gen/sqlcasdb"
)

// pageSize is how many ids Page reads.
const pageSize = 1000

// Page reads one page of the ids in their order, from the one behind after on; "" is before the first. It
// returns those of the page that are older than age by the server's clock, and the last one of all, which is ""
// at the end.
func Page(ctx context.Context, db sqlcasdb.DBTX, after string, age time.Duration) (old [][]byte, last string, err error) {
	rows, err := sqlcasdb.New(db).ListOperationAges(ctx, sqlcasdb.ListOperationAgesParams{ID: []byte(after), Limit: pageSize})
	if err != nil {
		return nil, "", explain(err)
	}
	for _, row := range rows {
		if row.Age > age.Microseconds() {
			old = append(old, row.ID)
		}
	}
	if len(rows) == pageSize {
		last = string(rows[len(rows)-1].ID)
	}
	return old, last, nil
}

// Delete deletes those of the ids that are still older than age, and returns how many were.
func Delete(ctx context.Context, db sqlcasdb.DBTX, ids [][]byte, age time.Duration) (int64, error) {
	return sqlcasdb.New(db).DeleteOperations(ctx, sqlcasdb.DeleteOperationsParams{Ids: ids, Age: age.Microseconds()})
}
