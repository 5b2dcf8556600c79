package hotrow

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// opening is each row's first balance. The sum over a hundred million rows fits into an int64.
const opening = 1 << 36

// books say what the rows must show: every update that was reported, once.
type books struct {
	db       *sql.DB // without an added round trip
	before   sums
	reported int64
}

// sums are those over all rows.
type sums struct{ balances, versions int64 }

// openBooks makes accounts 1 to rows.
func openBooks(ctx context.Context, db *sql.DB, rows int) (*books, error) {
	const batch = 1000
	for first := 1; first <= rows; first += batch {
		var values []string
		for id := first; id < first+batch && id <= rows; id++ {
			values = append(values, fmt.Sprintf("(%d, 'hot row', %d)", id, int64(opening)))
		}
		_, err := db.ExecContext(ctx, "INSERT INTO account (id, owner, balance) VALUES "+strings.Join(values, ", "))
		if err != nil {
			return nil, err
		}
	}
	b := &books{db: db}
	var err error
	b.before, err = b.read(ctx)
	return b, err
}

func (b *books) read(ctx context.Context) (s sums, err error) {
	err = b.db.QueryRowContext(ctx, "SELECT CAST(SUM(balance) AS SIGNED), CAST(SUM(version) AS SIGNED) FROM account").
		Scan(&s.balances, &s.versions)
	return s, err
}

// check adds updates that were reported, and compares the rows with all of them. Nobody may be at the rows.
func (b *books) check(ctx context.Context, reported int64) error {
	b.reported += reported
	now, err := b.read(ctx)
	if err != nil {
		return err
	}
	return b.compare(now)
}

// compare is ErrLost if one of the sums is not as booked.
func (b *books) compare(now sums) error {
	spent, moved := b.before.balances-now.balances, now.versions-b.before.versions
	if spent == b.reported && moved == b.reported {
		return nil
	}
	return fmt.Errorf("%w: of %d that were reported, the balances show %d and the versions %d",
		ErrLost, b.reported, spent, moved)
}
