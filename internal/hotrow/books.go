package hotrow

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// What each row is made with. The sum of the balances of a hundred million rows fits into an int64.
const (
	openingBalance = 1 << 36
	openingVersion = 1
)

// books say what each row must show: every update of it that was reported, once. Sums over all rows would not do,
// since what one row has too little and another too much cancels out in them.
type books struct {
	db       *sql.DB // without an added round trip
	reported []int64 // by row, the first at 0
}

// shown are the updates that a row shows, by its balance and by its version.
type shown struct{ spent, moved int64 }

// openBooks makes accounts 1 to rows.
func openBooks(ctx context.Context, db *sql.DB, rows int) (*books, error) {
	const batch = 1000
	for first := 1; first <= rows; first += batch {
		var values []string
		for id := first; id < first+batch && id <= rows; id++ {
			values = append(values, fmt.Sprintf("(%d, 'hot row', %d, %d)", id, int64(openingBalance), openingVersion))
		}
		_, err := db.ExecContext(ctx,
			"INSERT INTO account (id, owner, balance, version) VALUES "+strings.Join(values, ", "))
		if err != nil {
			return nil, err
		}
	}
	return &books{db: db, reported: make([]int64, rows)}, nil
}

// check adds updates that were reported, by row, and compares each row with all of them. Nobody may be at the rows.
func (b *books) check(ctx context.Context, reported map[uint64]int64) error {
	for id, n := range reported {
		b.reported[id-1] += n
	}
	now, err := b.read(ctx)
	if err != nil {
		return err
	}
	return b.compare(now)
}

// read returns what each row shows. Rows as they were made stay on the server: of a million, a turn moves few.
func (b *books) read(ctx context.Context) ([]shown, error) {
	now := make([]shown, len(b.reported))
	rows, err := b.db.QueryContext(ctx, "SELECT id, balance, version FROM account "+
		"WHERE id BETWEEN 1 AND ? AND (balance <> ? OR version <> ?)",
		len(now), int64(openingBalance), openingVersion)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, balance, version int64
		if err := rows.Scan(&id, &balance, &version); err != nil {
			return nil, err
		}
		now[id-1] = shown{spent: openingBalance - balance, moved: version - openingVersion}
	}
	return now, rows.Err()
}

// compare is ErrLost if a row is not as booked, and names the first one.
func (b *books) compare(now []shown) error {
	first, wrong := 0, 0
	for i, n := range b.reported {
		if now[i] != (shown{spent: n, moved: n}) {
			if wrong == 0 {
				first = i
			}
			wrong++
		}
	}
	if wrong == 0 {
		return nil
	}
	return fmt.Errorf("%w: row %d: of %d that were reported, its balance shows %d and its version %d; "+
		"rows that are not as reported: %d of %d",
		ErrLost, first+1, b.reported[first], now[first].spent, now[first].moved, wrong, len(now))
}
