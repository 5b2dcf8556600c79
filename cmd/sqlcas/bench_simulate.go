package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/sqlcas/sqlcas/internal/backoffsim"
	"github.com/sqlcas/sqlcas/internal/chart"
)

// studied returns the numbers of clients that are simulated: from those of the study, and more.
func studied() []int { return []int{10, 20, 50, 100, 190, 500, 1000} }

// runSimulation replays the study of backoff, as it was made, and again with writes that wait for the row as InnoDB
// has them wait.
func (o *benchOptions) runSimulation(out io.Writer) error {
	var tables []backoffsim.Table
	var files results
	if o.svg != "" {
		if err := files.add("svg", o.svg, func(w io.Writer) error { return chart.Simulation(w, tables...) }); err != nil {
			return err
		}
	}
	defer files.close()
	for _, model := range []backoffsim.Model{backoffsim.Study, backoffsim.OneAtATime} {
		tables = append(tables, backoffsim.Run(backoffsim.Options{Clients: o.clients, Trials: 20, Seed: 1, Model: model}))
	}
	return errors.Join(printTables(out, tables), files.save())
}

func printTables(out io.Writer, tables []backoffsim.Table) error {
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := t.Text(out); err != nil {
			return fmt.Errorf("print the tables: %w", err)
		}
	}
	return nil
}
