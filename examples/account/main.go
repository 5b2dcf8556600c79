// Command account transfers money between accounts with many workers at once: two balances and two
// ledger entries in one optimistic.UpdateTx, all or nothing. Afterwards it adds everything up.
//
//	go -C examples run ./account                           embedded SQLite
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
	t.options = s.Options
	fmt.Fprintf(out, "%d transfers between %d accounts, %d at a time, on %s\n\n",
		t.transfers, t.accounts, t.workers, s.About)
	ids, err := openAccounts(ctx, s.DB, t.accounts)
	if err != nil {
		return err
	}
	sum, err := exchange(ctx, s.DB, ids, t)
	if err != nil {
		return err
	}
	wrong, held, err := audit(ctx, s.DB)
	if err != nil {
		return err
	}
	if err := report(out, t, sum, held, len(wrong) == 0); err != nil {
		return err
	}
	for _, w := range wrong {
		fmt.Fprintln(errOut, "account: does NOT balance:", w)
	}
	if len(wrong) > 0 {
		return errUnbalanced
	}
	return nil
}

// report prints the table.
func report(out io.Writer, t traffic, sum *totals, held int64, balanced bool) error {
	verdict := "yes: each balance is its opening plus its ledger, and none is overdrawn"
	if !balanced {
		verdict = "NO"
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "moved\t%d\n", sum.moved.Load())
	fmt.Fprintf(w, "refused\t%d\tfor insufficient funds\n", sum.refused.Load())
	fmt.Fprintf(w, "transfers/s\t%.0f\n", float64(t.transfers)/sum.elapsed.Seconds())
	fmt.Fprintf(w, "attempts\t%.2f\tper transfer, %d at most\n",
		float64(sum.attempts.Load())/float64(t.transfers), sum.most.Load())
	fmt.Fprintf(w, "conflicts\t%d\tabsorbed\n", sum.conflicts.Load())
	fmt.Fprintf(w, "money\t%s\tnow, %s at first\n",
		money(held), money(int64(t.accounts)*openingBalance))
	fmt.Fprintf(w, "balanced\t%s\n", verdict)
	return w.Flush()
}
