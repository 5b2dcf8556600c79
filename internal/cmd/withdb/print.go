package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// preferred picks the one server that -print boots when no flavour was asked for: the one that
// starts fastest.
func preferred(installed []string) []string {
	order := []string{mysqltest.MariaDB1011, mysqltest.MariaDB118, mysqltest.MySQL97}
	for _, name := range order {
		if slices.Contains(installed, name) {
			return []string{name}
		}
	}
	return order[:1] // the report then says that it is missing
}

// show prints the servers' DSNs, one a line on standard output and nothing else there, and waits
// for a signal.
func show(ctx context.Context, fleet *mysqltest.Fleet) int {
	if len(fleet.Servers) == 0 {
		return exitFailed
	}
	for _, s := range fleet.Servers {
		dsn, err := s.CreateDatabase(ctx, "sqlcas")
		if err != nil {
			fmt.Fprintf(os.Stderr, "withdb: %v\n", err)
			return exitFailed
		}
		fmt.Fprintf(os.Stderr, "%s is up, with an empty database; its DSN:\n", s)
		fmt.Println(dsn)
	}
	fmt.Fprintln(os.Stderr, "Ctrl-C stops the server and removes its data.")
	<-ctx.Done()
	return 0
}
