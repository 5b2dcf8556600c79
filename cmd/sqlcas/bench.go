package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcas/sqlcas/internal/hotrow"
)

// dsnEnv holds the address of the server where --dsn does not: a password in an argument can be seen by
// everybody on the machine.
const dsnEnv = "SQLCAS_DSN"

// anyFlavour is what --throwaway is without a name.
const anyFlavour = "any"

// measurer measures what a Setup says: hotrow.Run.
type measurer func(context.Context, hotrow.Setup) (hotrow.Report, error)

// benchOptions are what the command line says.
type benchOptions struct {
	dsn, throwaway                string
	simulate                      bool
	callerList                    []string
	callers                       []int // what callerList says
	processes, keys, pool, rounds int
	duration, rtt                 time.Duration
	strategies                    []string
	svg, json                     string
	measure                       measurer
	command                       string // what was asked for, as the report has it
	clients                       []int  // that are simulated
}

func benchCommand(measure measurer) *cobra.Command {
	o := benchOptions{measure: measure, clients: studied()}
	c := &cobra.Command{
		Use:   "bench (--dsn DSN | --throwaway[=flavour] | --simulate) [flags]",
		Short: "Measure ways to update a row that many callers want, on your server",
		Long:  benchLong(),
		Example: `  sqlcas bench --throwaway
  sqlcas bench --throwaway=mysql97 --callers 1,4,16,64,256 --svg hot.svg
  SQLCAS_DSN='bench:secret@tcp(db.internal:3306)/' sqlcas bench --processes 4 --callers 32 --duration 30s
  sqlcas bench --dsn 'root@tcp(127.0.0.1:3306)/' --strategies for-update,store --json hot.json
  sqlcas bench --throwaway --rtt 1ms --keys 100
  sqlcas bench --simulate --svg backoff.svg`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.flags(c)
	return c
}

// flags declares the flags.
func (o *benchOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.dsn, "dsn", "",
		"the server, as a `DSN` such as user:password@tcp(host:port)/; or in the environment, as "+dsnEnv)
	f.StringVar(&o.throwaway, "throwaway", "",
		"start a server for the run: the `flavour` mysql97, mariadb1011 or mariadb118, or the first that is installed")
	f.Lookup("throwaway").NoOptDefVal = anyFlavour
	f.BoolVar(&o.simulate, "simulate", false, "replay the study of backoff in fake time instead; needs no server")
	o.callerList, o.strategies = []string{"64"}, []string{"all"}
	f.Var(&list{items: &o.callerList}, "callers",
		"`callers` of each process; a list such as 1,4,16,64,256 measures each number by itself")
	f.IntVar(&o.processes, "processes", 1, "`processes` that want the row")
	f.IntVar(&o.keys, "keys", 1, "`rows`, of which each update draws one")
	f.DurationVar(&o.duration, "duration", 5*time.Second,
		"time of each strategy at each number of callers, all rounds together")
	f.IntVar(&o.rounds, "rounds", 5, "`rounds` in which the strategies take turns; one more goes ahead to warm up")
	f.DurationVar(&o.rtt, "rtt", 0, "`time` to add to each round trip, such as 1ms: whole milliseconds, at most 1s")
	f.IntVar(&o.pool, "pool", 64, "`connections` of each process, at most")
	f.Var(&list{items: &o.strategies}, "strategies", "`strategies` to measure, in this order, such as for-update,store")
	f.StringVar(&o.svg, "svg", "",
		"draw updates a second into `FILE`, such as hot.svg, and latencies, of the most callers, into hot-latency.svg")
	f.StringVar(&o.json, "json", "",
		"write all that was measured into `FILE`; - is standard output, instead of the table")
}

// benchLong is the help, with the strategies that there are.
func benchLong() string {
	return `Sets ways to update one row that many callers want side by side, on a server of yours: naive
compare-and-swap, FOR UPDATE by hand, sqlcas's Stores and others. All deduct 1 from a balance, and refuse if it is
too low.

  ` + strategyList(hotrow.Strategies()) + `

Two more do so with an operation id and a ledger entry for each deduction, so that one which is sent again is not made
again. They are not among "all", since they do more: set them beside each other, with
--strategies for-update-ledger,ledger.

  ` + strategyList(hotrow.LedgerStrategies()) + `

The strategies take turns in rounds, so that whatever else the machine does hits all alike. For each number of
callers the table has the updates a second (the median over the rounds, with the quartiles), the ratio to FOR UPDATE
by hand (the median of the rounds' ratios), the time within which half and 99 % of the updates were done and the
slowest, the tries that an update took, and how many updates the luckiest caller has had for each one of the
unluckiest. Without FOR UPDATE by hand the ratio is to the first strategy. After each turn the rows must show every
update that was reported, by their balances and by their versions, and a ledger by as many entries and ids, which are
then removed: if one is lost, no number is printed.

--dsn is in the form of go-sql-driver/mysql. The name of a database in it is ignored: bench makes a database of its
own, sqlcas_bench_ and a number, touches no other, and drops it at the end, also after Ctrl-C; a second Ctrl-C ends
at once, and may leave it. --throwaway starts a server on this machine, durable, whose data is removed at the end; it
has to be installed. Callers and server then share the CPUs, so trust the ratios, not the rates.

A process makes a connection for each of its callers, and two more, but no more than --pool. A run that would need
more than the server has left is refused before it begins.

--simulate replays the study "Exponential Backoff And Jitter" instead: how much work, and how long, until all of N
clients that start at once have updated a row, by how they pause after a conflict. Its "full jitter" is the study's,
drawn from 0 to 10 ms at first and to 2 s at most. The default of sqlcas, which cas-jitter measures too, is full
jitter from 2 ms to 250 ms, and stands beside it.

The table is printed before files are written, and a file is replaced only by a whole one.

Exit codes: 0 done, 1 an update was lost or applied twice, 2 could not run, or was interrupted, or a file could not
be written.`
}

// workerName is the command that sqlcas bench runs for each process but itself.
const workerName = "bench-worker"

func benchWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    workerName,
		Short:  "Be one of the processes of sqlcas bench, on standard input and output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Ctrl-C reaches the whole process group. This process ends when sqlcas bench closes its input.
			signal.Ignore(os.Interrupt)
			return hotrow.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
