package replay

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what a file may hold: names have to fit into the table's column, and numbers have to
// stay summable after MaxRounds rounds.
const (
	maxNameRunes = 80
	maxNumber    = 1_000_000_000
	// MaxRounds is the most that Data.Times takes.
	MaxRounds = 1000
)

// Source is a file that is read once, with the name that errors call it by.
type Source struct {
	Name string
	io.Reader
}

// Read reads the two files. Their columns are found by the names in the first line, in any order
// and case: productID, productName and unitsInStock of products; orderID, productID and quantity of
// orders. Other columns are ignored. An error names the file, the line, the column and the mend.
func Read(products, orders Source) (*Data, error) {
	d := &Data{}
	seen := map[uint64]int{} // product -> its line
	err := read(products, []string{"productID", "productName", "unitsInStock"}, func(r record) error {
		id, err := r.number("productID", 1)
		if err != nil {
			return err
		}
		if line, ok := seen[uint64(id)]; ok {
			return r.fail("productID", "is already on line %d; give each product one line", line)
		}
		name, err := r.text("productName")
		if err != nil {
			return err
		}
		stock, err := r.number("unitsInStock", 0)
		if err != nil {
			return err
		}
		seen[uint64(id)] = r.line
		d.Products = append(d.Products, Product{ID: uint64(id), Name: name, Stock: stock})
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = read(orders, []string{"orderID", "productID", "quantity"}, func(r record) error {
		id, err := r.number("productID", 1)
		if err != nil {
			return err
		}
		if _, ok := seen[uint64(id)]; !ok {
			return r.fail("productID", "is not in %s; add the product there, or remove this line",
				products.Name)
		}
		quantity, err := r.number("quantity", 1)
		if err != nil {
			return err
		}
		order := r.fields[r.columns["orderID"]]
		d.Lines = append(d.Lines, Line{
			Order: order, Product: uint64(id), Quantity: quantity,
			Source: fmt.Sprintf("%s:%d", orders.Name, r.line),
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// read calls each for every line after the header.
func read(src Source, needed []string, each func(record) error) error {
	r := csv.NewReader(src)
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty; its first line must name the columns %s",
			src.Name, strings.Join(needed, ", "))
	}
	if err != nil {
		return damaged(src, err)
	}
	columns, err := findColumns(src, header, needed)
	if err != nil {
		return err
	}
	lines := 0
	for ; ; lines++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return damaged(src, err)
		}
		line, _ := r.FieldPos(0)
		err = each(record{src: src, reader: r, columns: columns, fields: fields, line: line})
		if err != nil {
			return err
		}
	}
	if lines == 0 {
		return fmt.Errorf("%s: there is nothing below the header; give it at least one line", src.Name)
	}
	return nil
}

// findColumns maps the names that are needed to positions in the header.
func findColumns(src Source, header, needed []string) (map[string]int, error) {
	header = slices.Clone(header)
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // spreadsheets put a byte order mark there
	columns := map[string]int{}
	for _, name := range needed {
		is := func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) }
		i := slices.IndexFunc(header, is)
		if i < 0 {
			return nil, fmt.Errorf("%s:1: there is no column %s; "+
				"the first line must name %s, with commas between (it is %q)",
				src.Name, name, strings.Join(needed, ", "), strings.Join(header, ","))
		}
		if slices.ContainsFunc(header[i+1:], is) {
			return nil, fmt.Errorf("%s:1: column %s is there twice; rename one of them", src.Name, name)
		}
		columns[name] = i
	}
	return columns, nil
}

// damaged translates what encoding/csv has to say.
func damaged(src Source, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("%s: %w", src.Name, err)
	}
	mend := "put quotes around the whole field, and double those inside it"
	if errors.Is(parse.Err, csv.ErrFieldCount) {
		mend = "give each line as many fields as the first one has, and quote a field that holds a comma"
	}
	return fmt.Errorf("%s:%d:%d: %w; %s", src.Name, parse.Line, parse.Column, parse.Err, mend)
}

// record is one line of a file.
type record struct {
	src     Source
	reader  *csv.Reader
	columns map[string]int
	fields  []string
	line    int
}

// fail says what is wrong with one field, and where it is.
func (r record) fail(column, format string, args ...any) error {
	i := r.columns[column]
	line, position := r.reader.FieldPos(i)
	return fmt.Errorf("%s:%d:%d: %s %q "+format,
		append([]any{r.src.Name, line, position, column, r.fields[i]}, args...)...)
}

// number reads a whole number that is not below least.
func (r record) number(column string, least int64) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(r.fields[r.columns[column]]), 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, r.fail(column, "is not a whole number; write digits alone, such as 12")
	}
	if err != nil || n < least || n > maxNumber {
		return 0, r.fail(column, "is out of range; give a number from %d to %d", least, maxNumber)
	}
	return n, nil
}

// text reads a name.
func (r record) text(column string) (string, error) {
	s := r.fields[r.columns[column]]
	if !utf8.ValidString(s) {
		return "", r.fail(column,
			"is not UTF-8; convert the file, for instance with iconv -f latin1 -t utf8")
	}
	if n := utf8.RuneCountInString(s); n > maxNameRunes {
		return "", r.fail(column, "has %d characters; shorten it to %d", n, maxNameRunes)
	}
	return s, nil
}
