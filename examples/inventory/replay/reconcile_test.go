package replay

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// Ensures that each condition of reconciliation is able to fail, and that a good book passes.
func TestReconcileFindsEachMismatch(t *testing.T) {
	t.Parallel()
	data := &Data{
		Products: []Product{{1, "a", 10}, {2, "b", 3}},
		Lines:    []Line{{"7", 1, 4, "o:2"}, {"7", 2, 5, "o:3"}, {"8", 1, 3, "o:4"}},
	}
	orders := data.EachLine()
	good := []outcome{{accepted: true}, {}, {accepted: true}} // 7 of product 1; 5 of product 2 refused
	row := func(id uint64, onHand int64, version uint64) shop.Inventory {
		return shop.Inventory{ProductID: id, OnHand: onHand, Version: version}
	}
	cases := map[string]struct {
		rows []shop.Inventory
		want []string
	}{
		"good": {[]shop.Inventory{row(1, 3, 3), row(2, 3, 1)}, nil},
		"lost update": {[]shop.Inventory{row(1, 6, 3), row(2, 3, 1)}, []string{
			"product 1: 10 units at first less 7 accepted make 3, but 6 are left",
		}},
		"applied twice": {[]shop.Inventory{row(1, -1, 4), row(2, 3, 1)}, []string{
			"product 1: oversold: -1 units are left",
			"product 1: 10 units at first less 7 accepted make 3, but -1 are left",
			"product 1: 2 lines were accepted, but version 4 tells of 3 writes",
		}},
		"unseen write": {[]shop.Inventory{row(1, 3, 3), row(2, 3, 2)}, []string{
			"product 2: 0 lines were accepted, but version 2 tells of 1 writes",
		}},
		"wrong refusal": {[]shop.Inventory{row(1, 3, 3), row(2, 5, 1)}, []string{
			"product 2: 3 units at first less 0 accepted make 3, but 5 are left",
			"product 2: o:3 (order 7, 5 units of product 2) was refused, " +
				"but would fit into what is left (5 of product 2)",
		}},
		"row gone": {[]shop.Inventory{row(1, 3, 3)}, []string{"product 2: its row is gone"}},
		"new row": {[]shop.Inventory{row(1, 3, 3), row(2, 3, 1), row(3, 0, 1)}, []string{
			"product 3: a row that nobody put there",
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, m := range reconcile(data.Products, orders, good, c.rows) {
				got = append(got, m.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// Ensures that a whole order counts as one write of each of its products, that one which was refused is
// a mismatch if all of it would fit, and none if a part of it would not.
func TestReconcileWholeOrders(t *testing.T) {
	t.Parallel()
	data := &Data{
		Products: []Product{{1, "a", 10}, {2, "b", 3}},
		Lines: []Line{
			{"7", 1, 4, "o:2"},
			{"7", 2, 2, "o:3"},
			{"7", 1, 3, "o:4"}, // 7 of product 1, 2 of product 2
			{"8", 1, 3, "o:5"},
			{"8", 2, 1, "o:6"},
			{"9", 1, 4, "o:7"},
			{"9", 2, 1, "o:8"},
		},
	}
	rows := []shop.Inventory{{ProductID: 1, OnHand: 3, Version: 2}, {ProductID: 2, OnHand: 1, Version: 2}}
	outcomes := []outcome{{accepted: true}, {}, {}} // order 8 would fit; order 9 wants 4 of the 3 that are left
	got := reconcile(data.Products, data.WholeOrders(), outcomes, rows)
	want := []Mismatch{{1, "o:5 (order 8: 3 of product 1, 1 of product 2) was refused, " +
		"but would fit into what is left (3 of product 1, 1 of product 2)"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Ensures that lines of one order are put together wherever they are, with the quantities of a product
// added up, and that rounds do not run into each other.
func TestWholeOrders(t *testing.T) {
	t.Parallel()
	data := &Data{Lines: []Line{{"A", 1, 4, "o:2"}, {"B", 1, 1, "o:3"}, {"A", 2, 5, "o:4"}, {"A", 1, 3, "o:5"}}}
	once := []Order{{[]Line{{"A", 1, 7, "o:2"}, {"A", 2, 5, "o:4"}}}, {[]Line{{"B", 1, 1, "o:3"}}}}
	same := func(a, b Order) bool { return slices.Equal(a.Lines, b.Lines) }
	if got := data.WholeOrders(); !slices.EqualFunc(got, once, same) {
		t.Errorf("got %v, want %v", got, once)
	}
	twice := slices.Concat(once, once)
	if got := data.Times(2).WholeOrders(); !slices.EqualFunc(got, twice, same) {
		t.Errorf("two rounds: got %v, want %v", got, twice)
	}
	if got := data.Times(2).Times(1).WholeOrders(); !slices.EqualFunc(got, twice, same) {
		t.Errorf("two rounds, once: got %v, want %v", got, twice)
	}
	if got := (&Data{}).WholeOrders(); len(got) != 0 {
		t.Errorf("nothing: got %v, want no orders", got)
	}
	if data.Lines[0].Quantity != 4 {
		t.Errorf("the data that was read has changed: %v", data.Lines[0])
	}
}

// Ensures that a real lost update shows: two workers read, both write without looking at the
// version, and the replay says that the stock does not add up.
func TestRunTellsOfALostUpdate(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t, "", 4)
	bothHaveRead := make(chan struct{})
	arrivals := make(chan struct{}, 2)
	go func() {
		<-arrivals
		<-arrivals
		close(bothHaveRead)
	}()
	careless := Strategy{
		Name: "careless",
		prepare: byLine(func(ctx context.Context, db *sql.DB, line Line, _ ...sqlcas.Option) (tally, error) {
			stock, err := shop.New(db).GetStock(ctx, line.Product)
			if err != nil {
				return tally{}, err
			}
			arrivals <- struct{}{}
			<-bothHaveRead
			_, err = db.ExecContext(ctx,
				"UPDATE inventory SET on_hand = ?, version = version + 1 WHERE product_id = ?",
				stock.OnHand-line.Quantity, line.Product)
			return tally{attempts: 1}, err
		}),
	}
	data := &Data{
		Products: []Product{{1, "a", 10}}, Lines: []Line{{"7", 1, 4, "o:2"}, {"8", 1, 4, "o:3"}},
	}
	result, err := Run(t.Context(), Setup{DB: s.DB, Workers: 2, Options: s.Options}, data, careless)
	if err != nil {
		t.Fatal(err)
	}
	want := []Mismatch{{1, "10 units at first less 8 accepted make 2, but 6 are left"}}
	if !slices.Equal(result.Mismatches, want) {
		t.Errorf("got %v, want %v", result.Mismatches, want)
	}
}

// Ensures that percentiles are values that were measured, from the first to the last.
func TestPercentile(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1))
	}
	for _, c := range []struct {
		of   []time.Duration
		p    int
		want time.Duration
	}{
		{nil, 50, 0},
		{hundred[6:7], 50, 7},
		{hundred[6:7], 99, 7},
		{hundred[:3], 50, 2},
		{hundred, 50, 50},
		{hundred, 99, 99},
	} {
		if got := percentile(c.of, c.p); got != c.want {
			t.Errorf("percentile %d of %d: got %d, want %d", c.p, len(c.of), got, c.want)
		}
	}
}
