// Command account transfers money between accounts with many workers at once, all or nothing, in two
// forms: both balances by the UpdateAll of a Store, and both balances with a ledger entry each in one
// optimistic.UpdateTx. On a server it does so by both Stores. Afterwards it adds everything up.
//
//	go -C examples run ./account                           embedded SQLite, optimistic.Store alone
//	go -C examples run ./account -dsn 'root@tcp(127.0.0.1:3306)/'
//
// On a server it works in a database of its own, which it creates and removes again, also when it
// is interrupted. SQLCAS_DSN stands in for -dsn. It ends with 1 if the books do not balance.
//
// What to read is transfer.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"

	"github.com/sqlcas/sqlcas/examples/sandbox"
)

// errUnbalanced says that the audit found something, which is printed already.
var errUnbalanced = errors.New("the books do not balance")

// legend explains the table.
const legend = `
UpdateAll changes both balances or none. UpdateTx with ledger does so by a Store's
In(tx), and writes two ledger entries in the same transaction. FOR UPDATE is the same
by a pessimistic.Store. Refused transfers were more than the payer had.
Balanced: no account is overdrawn, no money was made or lost, each balance is what
the callers were told, and the ledger, where there is one, says the same.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Getenv(sandbox.EnvDSN), os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "account:", err)
		os.Exit(1)
	}
}

// run is main without the process. envDSN is what the environment has instead of -dsn.
func run(ctx context.Context, args []string, envDSN string, out, errOut io.Writer) (err error) {
	var t traffic
	flags := flag.NewFlagSet("account", flag.ContinueOnError)
	flags.SetOutput(errOut)
	dsn := flags.String("dsn", envDSN,
		"server, as `user:password@tcp(host:port)/`; a database is created there and removed")
	flags.IntVar(&t.accounts, "accounts", 20, "accounts to open")
	flags.IntVar(&t.transfers, "transfers", 1000, "transfers to make")
	flags.IntVar(&t.workers, "workers", 16, "transfers in flight at a time, and connections")
	flags.Lookup("dsn").DefValue = "" // it may hold a password
	if err := flags.Parse(args); err != nil {
		return err
	}
	if t.accounts < 2 || t.transfers < 1 || t.workers < 1 || flags.NArg() > 0 {
		return errors.New("give at least 2 -accounts, 1 -transfers and 1 -workers, and nothing else")
	}
	s, err := sandbox.Open(ctx, *dsn, t.workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Fprintf(out, "%d transfers between %d accounts, %d at a time, on %s\n\n",
		t.transfers, t.accounts, t.workers, s.About)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "form\ttransfers/s\tattempts\tconflicts\trefused\tbalanced\n")
	var wrong []string
	for _, f := range forms(s) {
		found, err := demonstrate(ctx, s, f, t, w)
		if err != nil {
			return err
		}
		wrong = append(wrong, found...)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, legend)
	for _, text := range wrong {
		fmt.Fprintln(errOut, "account: does NOT balance:", text)
	}
	if len(wrong) > 0 {
		return errUnbalanced
	}
	return nil
}

// demonstrate runs one form on accounts of its own, prints its line of the table, and returns what does
// not balance.
func demonstrate(
	ctx context.Context, s *sandbox.Sandbox, f form, t traffic, out io.Writer,
) ([]string, error) {
	ids, err := openAccounts(ctx, s.DB, t.accounts)
	if err != nil {
		return nil, err
	}
	sum, err := exchange(ctx, f, ids, t)
	if err != nil {
		return nil, err
	}
	wrong, held, err := audit(ctx, s.DB, f, ids, sum.books)
	if err != nil {
		return nil, err
	}
	verdict := fmt.Sprintf("yes: %s now as at first", money(held))
	if len(wrong) > 0 {
		verdict = "NO"
	}
	_, err = fmt.Fprintf(out, "%s\t%.0f\t%.2f, at most %d\t%d\t%d\t%s\n", f.title,
		float64(t.transfers)/sum.elapsed.Seconds(), float64(sum.attempts.Load())/float64(t.transfers),
		sum.most.Load(), sum.conflicts.Load(), sum.refused.Load(), verdict)
	for i, text := range wrong {
		wrong[i] = f.title + ": " + text
	}
	return wrong, err
}
