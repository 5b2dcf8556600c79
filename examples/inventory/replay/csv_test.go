package replay

import (
	"slices"
	"strings"
	"testing"
)

const goodOrders = "orderID,productID,unitPrice,quantity,discount\n1,1,2.00,3,0\n"

// Ensures that columns are found by name in any order and case, that quoted fields, a byte order
// mark, CRLF and names beyond ASCII are read as spreadsheets write them, and that other columns do
// not matter.
func TestReadFindsColumnsByName(t *testing.T) {
	t.Parallel()
	products := "\ufeffUnitsInStock,productid,unitPrice,PRODUCTNAME\r\n" +
		"39,1,n/a,\"Crème, \"\"brûlée\"\"\"\r\n0,7,,Плюшка\r\n"
	orders := "quantity,note,orderID,productID\n5,\"two\nlines\",A-1,7\n6,x,A-1,1\n"
	d, err := Read(Source{"p.csv", strings.NewReader(products)},
		Source{"o.csv", strings.NewReader(orders)})
	if err != nil {
		t.Fatal(err)
	}
	wantProducts := []Product{{1, `Crème, "brûlée"`, 39}, {7, "Плюшка", 0}}
	if !slices.Equal(d.Products, wantProducts) {
		t.Errorf("got products %v, want %v", d.Products, wantProducts)
	}
	wantLines := []Line{{"A-1", 7, 5, "o.csv:2"}, {"A-1", 1, 6, "o.csv:4"}}
	if !slices.Equal(d.Lines, wantLines) {
		t.Errorf("got lines %v, want %v", d.Lines, wantLines)
	}
}

const head = "productID,productName,unitsInStock\n"

// badFiles are files that are refused, with the error.
var badFiles = map[string]struct{ products, orders, want string }{
	"empty file": {
		"", goodOrders,
		"p.csv: the file is empty; " +
			"its first line must name the columns productID, productName, unitsInStock",
	},
	"no lines": {
		head, goodOrders,
		"p.csv: there is nothing below the header; give it at least one line",
	},
	"missing column": {
		"productID,name,unitsInStock\n1,a,2\n", goodOrders,
		"p.csv:1: there is no column productName; the first line must name " +
			"productID, productName, unitsInStock, with commas between " +
			`(it is "productID,name,unitsInStock")`,
	},
	"semicolons": {
		"productID;productName;unitsInStock\n1;a;2\n", goodOrders,
		"p.csv:1: there is no column productID; the first line must name " +
			"productID, productName, unitsInStock, with commas between " +
			`(it is "productID;productName;unitsInStock")`,
	},
	"column twice": {
		"productID,productName,unitsInStock,productID\n1,a,2,3\n", goodOrders,
		"p.csv:1: column productID is there twice; rename one of them",
	},
	"short line": {
		head + "1,a,2\n2,b\n", goodOrders,
		"p.csv:3:1: wrong number of fields; give each line as many fields as the first one has, " +
			"and quote a field that holds a comma",
	},
	"stray quote": {
		head + "1,a\"b,2\n", goodOrders,
		`p.csv:2:4: bare " in non-quoted-field; ` +
			"put quotes around the whole field, and double those inside it",
	},
	"stock is no number": {
		head + "1,a,2\n2,b,many\n", goodOrders,
		`p.csv:3:5: unitsInStock "many" is not a whole number; write digits alone, such as 12`,
	},
	"stock is a fraction": {
		head + "1,a,2.5\n", goodOrders,
		`p.csv:2:5: unitsInStock "2.5" is not a whole number; write digits alone, such as 12`,
	},
	"stock is negative": {
		head + "1,a,-2\n", goodOrders,
		`p.csv:2:5: unitsInStock "-2" is out of range; give a number from 0 to 1000000000`,
	},
	"stock is too much": {
		head + "1,a,99999999999999999999\n", goodOrders,
		`p.csv:2:5: unitsInStock "99999999999999999999" is out of range; ` +
			"give a number from 0 to 1000000000",
	},
	"product twice": {
		head + "1,a,2\n1,b,2\n", goodOrders,
		`p.csv:3:1: productID "1" is already on line 2; give each product one line`,
	},
	"long name": {
		head + "1," + strings.Repeat("é", 81) + ",2\n", goodOrders,
		`p.csv:2:3: productName "` + strings.Repeat("é", 81) + `" has 81 characters; shorten it to 80`,
	},
	"latin-1": {
		head + "1,Caf\xe9,2\n", goodOrders,
		`p.csv:2:3: productName "Caf\xe9" is not UTF-8; ` +
			"convert the file, for instance with iconv -f latin1 -t utf8",
	},
	"unknown product": {
		head + "1,a,2\n", "orderID,productID,quantity\n9,1,1\n9,5,1\n",
		`o.csv:3:3: productID "5" is not in p.csv; add the product there, or remove this line`,
	},
	"quantity of zero": {
		head + "1,a,2\n", "orderID,productID,quantity\n9,1,0\n",
		`o.csv:2:5: quantity "0" is out of range; give a number from 1 to 1000000000`,
	},
	"no quantity": {
		head + "1,a,2\n", "orderID,productID,quantity\n9,1,\n",
		`o.csv:2:5: quantity "" is not a whole number; write digits alone, such as 12`,
	},
}

// Ensures that every kind of bad input is refused by an error that names the file, the line, the
// column and the mend.
func TestReadRefusesBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range badFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(Source{"p.csv", strings.NewReader(c.products)},
				Source{"o.csv", strings.NewReader(c.orders)})
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// Ensures that rounds multiply stock and lines alike and leave the data that was read alone.
func TestTimesMultipliesBoth(t *testing.T) {
	t.Parallel()
	d := &Data{Products: []Product{{1, "a", 5}}, Lines: []Line{{"9", 1, 2, "o:2"}, {"9", 1, 4, "o:3"}}}
	got := d.Times(3)
	if got.Products[0].Stock != 15 || len(got.Lines) != 6 {
		t.Errorf("got stock %d and %d lines, want 15 and 6", got.Products[0].Stock, len(got.Lines))
	}
	if d.Products[0].Stock != 5 || len(d.Lines) != 2 {
		t.Errorf("the original changed to stock %d and %d lines", d.Products[0].Stock, len(d.Lines))
	}
}
