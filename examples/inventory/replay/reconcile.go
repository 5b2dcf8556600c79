package replay

import (
	"fmt"
	"strings"

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
	units  int64
	writes uint64
}

// reconcile compares the table with what the workers were told:
//
//   - of each product, what was there at first, less what was accepted, is what is left, and it is
//     not negative;
//   - its version has moved once per accepted order that has it, so that nobody wrote unseen;
//   - no refused order would still fit, as a whole, into what is left. Stock only falls during a replay,
//     so that an order which did not fit at its time cannot fit later: one that does was refused wrongly.
func reconcile(products []Product, orders []Order, outcomes []outcome, rows []shop.Inventory) []Mismatch {
	books := map[uint64]*sold{}
	for _, p := range products {
		books[p.ID] = &sold{}
	}
	for i, order := range orders {
		if !outcomes[i].accepted {
			continue
		}
		for _, line := range order.Lines {
			books[line.Product].units += line.Quantity
			books[line.Product].writes++
		}
	}
	table := map[uint64]shop.Inventory{}
	for _, row := range rows {
		table[row.ProductID] = row
	}
	var found []Mismatch
	for _, p := range products {
		row, ok := table[p.ID]
		if !ok {
			found = append(found, Mismatch{p.ID, "its row is gone"})
			continue
		}
		for _, reason := range books[p.ID].compare(p, row) {
			found = append(found, Mismatch{p.ID, reason})
		}
	}
	for i, order := range orders {
		if left, fits := order.fits(table); fits && !outcomes[i].accepted {
			reason := fmt.Sprintf("%s was refused, but would fit into what is left (%s)", order, left)
			found = append(found, Mismatch{order.Lines[0].Product, reason})
		}
	}
	for _, row := range rows {
		if books[row.ProductID] == nil {
			found = append(found, Mismatch{row.ProductID, "a row that nobody put there"})
		}
	}
	return found
}

// compare lists what is wrong with one product.
func (b *sold) compare(p Product, row shop.Inventory) []string {
	var reasons []string
	fail := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
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
	return reasons
}

// fits reports whether there is enough of each product, and for people how much there is.
func (o Order) fits(table map[uint64]shop.Inventory) (left string, fits bool) {
	fits = true
	parts := make([]string, len(o.Lines))
	for i, line := range o.Lines {
		row, ok := table[line.Product]
		fits = fits && ok && line.Quantity <= row.OnHand
		parts[i] = fmt.Sprintf("%d of product %d", row.OnHand, line.Product)
	}
	return strings.Join(parts, ", "), fits
}
