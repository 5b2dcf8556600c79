package hotrow

import "time"

// Report is what a run has measured. Its JSON is a stable format: times are in nanoseconds, rates in updates a second.
type Report struct {
	Command string    `json:"command"` // the command line, without the DSN
	Started time.Time `json:"started"`
	Machine Machine   `json:"machine"`
	Server  Server    `json:"server"`

	Processes int           `json:"processes"`
	Pool      int           `json:"pool"` // connections of each process
	Keys      int           `json:"keys"`
	RTT       time.Duration `json:"rtt_ns"`      // added to each round trip
	Duration  time.Duration `json:"duration_ns"` // of each strategy at each number of callers, all rounds together
	Rounds    int           `json:"rounds"`

	Cells []Cell `json:"cells"` // one per number of callers, in the order that was asked for
}

// Machine is where the client ran.
type Machine struct {
	CPU   string `json:"cpu"`
	CPUs  int    `json:"cpus"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	GoVer string `json:"go"`
}

// Server is what the database says of itself.
type Server struct {
	Version  string    `json:"version"`
	Durable  bool      `json:"durable"` // each commit is on disk before it is answered
	Local    bool      `json:"local"`   // it runs where the client does, and they share the CPUs
	Settings []Setting `json:"settings"`
}

// Setting is a server variable that commits depend on.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Cell is what all strategies came to with one number of callers.
type Cell struct {
	Callers int `json:"callers"` // of each process

	// Commit is the median time of one guarded UPDATE by one caller alone on a row of its own: what a commit
	// takes, as each round has measured it.
	Commit []time.Duration `json:"commit_ns"`

	Results []Result `json:"results"` // in the order of the strategies
}

// Result is what one strategy came to.
type Result struct {
	Strategy string `json:"strategy"` // a Strategy's Name

	// Rates are the updates a second of each round, over all processes. Those of two strategies at one index
	// were measured in the same round, so that their ratio is a paired one.
	Rates []float64 `json:"rates"`

	Done     int64 `json:"done"`     // updates
	Attempts int64 `json:"attempts"` // tries that they took, where the strategy counts them; else 0

	// GaveUp is the number of calls that were not applied half a minute after the end of their turn. They have
	// no time in Latency, whose slowest are thus longer than it says.
	GaveUp int64 `json:"gave_up"`

	// Late is by how much a process of several began a turn after the time that was set for all, at most. Until
	// it did, the others were among fewer callers than the report says.
	Late time.Duration `json:"late_ns"`

	// Latency holds the times of all updates, also of those that were still under way when a round ended.
	Latency []Quantile `json:"latency"`

	FewestByCaller int64 `json:"fewest_by_caller"` // updates of the caller who got the fewest
	MostByCaller   int64 `json:"most_by_caller"`
}

// Quantile is the time within which a part of the updates were done.
type Quantile struct {
	Part float64       `json:"part"` // 0.5 is the median, 1 the slowest
	Time time.Duration `json:"ns"`
}

// Quantiles are the parts that a Result has, in this order.
var Quantiles = []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1}
