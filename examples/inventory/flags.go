package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sqlcas/sqlcas/examples/inventory/replay"
)

// sample ships with the program, so that it runs from anywhere: a small shop whose orders want more
// than its stock, half of them the same three products.
//
//go:embed sample/products.csv sample/orders.csv
var sample embed.FS

// enoughLines is how many lines a replay should have for its rates to mean something. Smaller files
// are replayed several times over unless -rounds says how often.
const enoughLines = 2000

// errReported is an error that package flag has already shown.
var errReported = errors.New("reported")

// config is what the command line says.
type config struct {
	products, orders string // paths; both empty for the sample
	dsn              string
	strategy         string
	whole            bool // whole orders
	workers, rounds  int
}

// parse reads the command line; its errors name the mend.
func parse(args []string, envDSN string, usage io.Writer) (*config, error) {
	c := &config{}
	flags := flag.NewFlagSet("inventory", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&c.products, "products", "",
		"CSV `file` with productID, productName, unitsInStock (default: a small sample)")
	flags.StringVar(&c.orders, "orders", "",
		"CSV `file` with orderID, productID, quantity (default: a small sample)")
	flags.StringVar(&c.dsn, "dsn", envDSN,
		"server, as `user:password@tcp(host:port)/`; a database is created there and removed")
	flags.StringVar(&c.strategy, "strategy", "all",
		c.strategyNames("|")+"; with -whole "+(&config{whole: true}).strategyNames("|"))
	flags.BoolVar(&c.whole, "whole", false, "replay whole orders, all lines or none, instead of order lines")
	flags.IntVar(&c.workers, "workers", 64, "orders in flight at a time")
	flags.IntVar(&c.rounds, "rounds", 0,
		"replay the orders so many times, on so many times the stock (default: what makes 2000 lines)")
	// The default of -dsn may hold a password.
	flags.Lookup("dsn").DefValue = ""
	if err := flags.Parse(args); err != nil {
		return nil, errors.Join(errReported, err)
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag; files are given as -products file -orders file",
			flags.Arg(0))
	case (c.products == "") != (c.orders == ""):
		return nil, errors.New("-products and -orders belong together; " +
			"give both, or neither for the sample")
	case c.workers < 1:
		return nil, fmt.Errorf("-workers %d: give at least 1", c.workers)
	case c.rounds < 0 || c.rounds > replay.MaxRounds:
		return nil, fmt.Errorf("-rounds %d: give 1 to %d, or leave it out", c.rounds, replay.MaxRounds)
	}
	if _, ok := replay.Named(c.known(), c.strategy); !ok && c.strategy != "all" {
		return nil, fmt.Errorf("-strategy %s: there is %s", c.strategy, c.strategyNames(", "))
	}
	return c, nil
}

// known returns the strategies there are.
func (c *config) known() []replay.Strategy {
	if c.whole {
		return replay.WholeOrderStrategies()
	}
	return replay.Strategies()
}

// strategyNames lists what -strategy takes.
func (c *config) strategyNames(separator string) string {
	names := []string{"all"}
	for _, s := range c.known() {
		names = append(names, s.Name)
	}
	return strings.Join(names, separator)
}

// strategies returns the ones to run.
func (c *config) strategies(embedded bool) ([]replay.Strategy, error) {
	if s, ok := replay.Named(c.known(), c.strategy); ok {
		if embedded && s.Locks {
			return nil, fmt.Errorf("-strategy %s: SQLite has no row locks; give a server with -dsn",
				c.strategy)
		}
		return []replay.Strategy{s}, nil
	}
	var all []replay.Strategy
	for _, s := range c.known() {
		if !embedded || !s.Locks {
			all = append(all, s)
		}
	}
	return all, nil
}

// read reads the files, and sets rounds where the command line left it open.
func (c *config) read() (*replay.Data, error) {
	open := func(name string) (io.ReadCloser, error) { return os.Open(filepath.Clean(name)) }
	products, orders := c.products, c.orders
	if products == "" {
		open = func(name string) (io.ReadCloser, error) { return sample.Open(name) }
		products, orders = "sample/products.csv", "sample/orders.csv"
	}
	p, err := open(products)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }()
	o, err := open(orders)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.Close() }()
	data, err := replay.Read(
		replay.Source{Name: products, Reader: p}, replay.Source{Name: orders, Reader: o})
	if err != nil {
		return nil, err
	}
	if c.rounds == 0 {
		c.rounds = min((enoughLines+len(data.Lines)-1)/len(data.Lines), replay.MaxRounds)
	}
	return data.Times(c.rounds), nil
}
