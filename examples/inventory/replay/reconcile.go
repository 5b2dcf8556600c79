package replay

import (
	"fmt"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// Mismatch is something in the table that the reported outcomes do not explain.
type Mismatch struct {
	Product uint64
	Reason  string
}

// String says it in one line.
func (m Mismatch) String() string { return fmt.Sprintf("product %d: %s", m.Product, m.Reason) }

// sold is what the outcomes say about one product.
type sold struct {
	units   int64
	writes  uint64
	refused []Line
}

// reconcile compares the table with what the workers were told, product by product:
//
//   - what was there at first, less what was accepted, is what is left, and it is not negative;
//   - the version has moved once per accepted line, so that nobody wrote unseen;
//   - no refused line would still fit into what is left. Stock only falls during a replay, so that
//     a line which did not fit at its time cannot fit later: one that does was refused wrongly.
func reconcile(data *Data, outcomes []outcome, rows []shop.Inventory) []Mismatch {
	books := map[uint64]*sold{}
	for _, p := range data.Products {
		books[p.ID] = &sold{}
	}
	for i, line := range data.Lines {
		b := books[line.Product]
		if !outcomes[i].accepted {
			b.refused = append(b.refused, line)
			continue
		}
		b.units += line.Quantity
		b.writes++
	}
	table := map[uint64]shop.Inventory{}
	for _, row := range rows {
		table[row.ProductID] = row
	}
	var found []Mismatch
	for _, p := range data.Products {
		row, ok := table[p.ID]
		delete(table, p.ID)
		if !ok {
			found = append(found, Mismatch{p.ID, "its row is gone"})
			continue
		}
		for _, reason := range books[p.ID].compare(p, row) {
			found = append(found, Mismatch{p.ID, reason})
		}
	}
	for id := range table {
		found = append(found, Mismatch{id, "a row that nobody put there"})
	}
	return found
}

// compare lists what is wrong with one product.
func (b *sold) compare(p Product, row shop.Inventory) []string {
	var reasons []string
	fail := func(format string, args ...any) {
		reasons = append(reasons, fmt.Sprintf(format,
			args...))
	}
	if row.OnHand < 0 {
		fail("oversold: %d units are left", row.OnHand)
	}
	if want := p.Stock - b.units; row.OnHand != want {
		fail("%d units at first less %d accepted make %d, but %d are left", p.Stock, b.units, want,
			row.OnHand)
	}
	if row.Version != b.writes+1 {
		fail("%d lines were accepted, but version %d tells of %d writes", b.writes, row.Version,
			row.Version-1)
	}
	for _, line := range b.refused {
		if line.Quantity <= row.OnHand {
			fail("%s was refused, but would fit into the %d units that are left", line, row.OnHand)
		}
	}
	return reasons
}
