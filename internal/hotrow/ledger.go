package hotrow

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/schema"
)

// ledger is where a strategy enters each deduction beside the row: an entry of its amount, and the operation's id.
// Both are of one turn only, so that no turn has to do with tables that the ones before it have made large.
type ledger struct {
	create  []string // what it needs beside the shop's tables
	entries string   // the table of the entries, which has account_id and amount as the shop's has them
	ids     string   // counts the operations' ids
	clear   []string // forgets a turn
}

// ownIDs is a ledger that has a table of its own for the ids, sqlcas's.
var ownIDs = &ledger{
	create:  schema.Sqlcas(),
	entries: "ledger_entry",
	ids:     "SELECT COUNT(*) FROM sqlcas_operation",
	clear:   []string{"TRUNCATE TABLE ledger_entry", "TRUNCATE TABLE sqlcas_operation"},
}

// idsInEntries is a ledger whose entries carry the ids: the shop's, with one more column that is UNIQUE.
var idsInEntries = &ledger{
	create: []string{`CREATE TABLE ledger_entry_once (
		id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
		account_id BIGINT UNSIGNED NOT NULL,
		amount     BIGINT          NOT NULL,
		memo       VARCHAR(255)    NOT NULL,
		created_at DATETIME(6)     NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
		operation  VARBINARY(255)  NOT NULL,
		KEY ledger_entry_once_by_account (account_id),
		UNIQUE KEY ledger_entry_once_operation (operation),
		CONSTRAINT ledger_entry_once_account FOREIGN KEY (account_id) REFERENCES account (id)
	) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`},
	entries: "ledger_entry_once",
	ids:     "SELECT COUNT(DISTINCT operation) FROM ledger_entry_once",
	clear:   []string{"TRUNCATE TABLE ledger_entry_once"},
}

// deduction is the entry of one.
func deduction(account uint64) shop.InsertLedgerEntryParams {
	return shop.InsertLedgerEntryParams{AccountID: account, Amount: -1, Memo: "hot row"}
}

// openLedgers makes the tables of the strategies that have a ledger. Those of the shop must be there.
func openLedgers(ctx context.Context, db *sql.DB, strategies []Strategy) error {
	for _, s := range strategies {
		if s.ledger == nil {
			continue
		}
		if err := sendAll(ctx, db, s.ledger.create); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

// close compares a turn's entries and ids with the updates that were reported, by row, and forgets them. It is ErrLost
// if one is missing or too many.
func (g *ledger) close(ctx context.Context, db *sql.DB, reported map[uint64]int64) error {
	entered, err := g.read(ctx, db)
	if err != nil {
		return err
	}
	var ids int64
	if err := db.QueryRowContext(ctx, g.ids).Scan(&ids); err != nil {
		return err
	}
	if err := balanced(entered, ids, reported); err != nil {
		return err
	}
	return sendAll(ctx, db, g.clear)
}

// entered are the entries of a row: how many, and what they have taken from it.
type entered struct{ count, spent int64 }

// read returns what is entered, by row.
func (g *ledger) read(ctx context.Context, db *sql.DB) (map[uint64]entered, error) {
	rows, err := db.QueryContext(ctx,
		"SELECT account_id, COUNT(*), CAST(-SUM(amount) AS SIGNED) FROM "+g.entries+" GROUP BY account_id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[uint64]entered{}
	for rows.Next() {
		var id uint64
		var e entered
		if err := rows.Scan(&id, &e.count, &e.spent); err != nil {
			return nil, err
		}
		all[id] = e
	}
	return all, rows.Err()
}

// balanced is ErrLost if entries or ids are not as many as the updates that were reported, and names the first row.
func balanced(all map[uint64]entered, ids int64, reported map[uint64]int64) error {
	var total int64
	for _, n := range reported {
		total += n
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(reported)), maps.Keys(all))
	slices.Sort(keys)
	for _, id := range slices.Compact(keys) {
		if n, got := reported[id], all[id]; got != (entered{count: n, spent: n}) {
			return fmt.Errorf("%w: row %d: of %d that were reported, the ledger has %d, which come to %d",
				ErrLost, id, n, got.count, got.spent)
		}
	}
	if ids != total {
		return fmt.Errorf("%w: of %d that were reported, %d operations have their id", ErrLost, total, ids)
	}
	return nil
}

// sendAll sends statements one by one.
func sendAll(ctx context.Context, db *sql.DB, statements []string) error {
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
