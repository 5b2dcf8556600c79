package replay

import (
	"fmt"
	"slices"
	"strings"
)

// Order is what is deducted in one go: all of it or nothing.
type Order struct {
	Lines []Line // at least one, and each product once
}

// String names the order as errors do.
func (o Order) String() string {
	if len(o.Lines) == 1 {
		return o.Lines[0].String()
	}
	products := make([]string, len(o.Lines))
	for i, l := range o.Lines {
		products[i] = fmt.Sprintf("%d of product %d", l.Quantity, l.Product)
	}
	return fmt.Sprintf("%s (order %s: %s)", o.Lines[0].Source, o.Lines[0].Order, strings.Join(products, ", "))
}

// units is what the order wants, over all products.
func (o Order) units() int64 {
	var sum int64
	for _, l := range o.Lines {
		sum += l.Quantity
	}
	return sum
}

// EachLine takes every line for an order of its own.
func (d *Data) EachLine() []Order {
	orders := make([]Order, len(d.Lines))
	for i, l := range d.Lines {
		orders[i] = Order{Lines: []Line{l}}
	}
	return orders
}

// WholeOrders puts the lines of an order together, wherever in the file they are. Lines for the same
// product become one, which wants the sum of them: an order for 3 and 4 units is one for 7, and must
// not be judged as two that would fit one by one. Orders come in the order of their first lines. Each
// round of Times has orders of its own.
func (d *Data) WholeOrders() []Order {
	var orders []Order
	size := len(d.Lines)
	if d.perRound > 0 {
		size = d.perRound
	}
	for round := range slices.Chunk(d.Lines, max(size, 1)) {
		known := map[string]int{} // order -> where it is
		for _, l := range round {
			i, ok := known[l.Order]
			if !ok {
				i = len(orders)
				known[l.Order] = i
				orders = append(orders, Order{})
			}
			orders[i].add(l)
		}
	}
	return orders
}

// add puts a line into the order.
func (o *Order) add(l Line) {
	i := slices.IndexFunc(o.Lines, func(other Line) bool { return other.Product == l.Product })
	if i < 0 {
		o.Lines = append(o.Lines, l)
		return
	}
	o.Lines[i].Quantity += l.Quantity
}
