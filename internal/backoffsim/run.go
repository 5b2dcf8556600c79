package backoffsim

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Options is what to simulate.
type Options struct {
	Clients []int // how many start at once, each number by itself; at least 1
	Trials  int   // of each number and policy, of which the averages are taken; at least 1
	Seed    uint64
	Model   Model
}

// Table is what a simulation came to.
type Table struct {
	Model    Model
	Trials   int
	Policies []string // in the order of the rows with one number of clients
	Rows     []Row    // by clients, then by policy
}

// Row is the average of all trials of one policy with one number of clients.
type Row struct {
	Clients        int
	Policy         string
	Calls          float64 // writes that all clients together sent
	CallsPerClient float64
	Finish         time.Duration // until the last client knew that it was done
}

// Run simulates. A row depends on the seed and on its own clients, policy and trials alone, so that a run of fewer
// finds the same. Ours is drawn anew in each run.
func Run(o Options) Table {
	t := Table{Model: o.Model, Trials: o.Trials}
	for _, p := range policies {
		t.Policies = append(t.Policies, p.name)
	}
	t.Rows = make([]Row, len(o.Clients)*len(policies))
	var rows sync.WaitGroup
	for i := range t.Rows {
		rows.Go(func() { t.Rows[i] = average(o, o.Clients[i/len(policies)], i%len(policies)) })
	}
	rows.Wait()
	return t
}

func average(o Options, clients, policy int) Row {
	r := Row{Clients: clients, Policy: policies[policy].name}
	for trial := range o.Trials {
		stream := uint64(clients)<<32 | uint64(policy)<<24 | uint64(trial)
		calls, finish := simulate(o.Model, clients, policies[policy], rand.New(rand.NewPCG(o.Seed, stream)))
		r.Calls += float64(calls)
		r.Finish += finish
	}
	r.Calls /= float64(o.Trials)
	r.Finish /= time.Duration(o.Trials)
	r.CallsPerClient = r.Calls / float64(clients)
	return r
}

// client is one who wants to write the row once.
type client struct {
	pauses   pauses
	attempts int  // that have lost
	writes   bool // its message under way is a write
	version  int  // that it has read, if so
}

// simulate has the clients start at once, and returns how many writes they sent and when the last was done.
func simulate(m Model, clients int, p policy, rng *rand.Rand) (calls int, finish time.Duration) {
	row, all, next := row{model: m}, make([]client, clients), make(queue, 0, clients)
	for i := range all {
		all[i].pauses = p.start(rng)
		next.push(event{at: delay(rng), client: i})
	}
	for len(next) > 0 {
		e := next[0]
		c := &all[e.client]
		if !c.writes {
			c.writes, c.version = true, row.read(e.at)
			e.at += delay(rng) + delay(rng)
			next.replace(e)
			continue
		}
		calls++
		answered, won := row.write(e.at, c.version)
		answered += delay(rng)
		if won {
			finish = max(finish, answered)
			next.pop()
			continue
		}
		c.attempts++
		c.writes = false
		e.at = answered + c.pauses(c.attempts) + delay(rng)
		next.replace(e)
	}
	return calls, finish
}
