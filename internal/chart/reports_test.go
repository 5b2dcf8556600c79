package chart

import (
	"time"

	"github.com/sqlcas/sqlcas/internal/backoffsim"
	"github.com/sqlcas/sqlcas/internal/hotrow"
)

const ms = time.Millisecond

// result has five rounds around the rate and latencies around the times, as a strategy would have them.
func result(strategy string, rate float64, p50, p99, slowest time.Duration) hotrow.Result {
	times := []time.Duration{
		p50 / 3, p50 / 2, p50 * 3 / 4, p50, p50 + (p99-p50)/8, p50 + (p99-p50)/3, p50 + (p99-p50)/2, p99,
		p99 + (slowest-p99)/2, slowest,
	}
	res := hotrow.Result{
		Strategy: strategy, Rates: []float64{rate * 0.8, rate * 0.92, rate, rate * 1.06, rate * 1.3}, Done: int64(rate),
	}
	for i, part := range hotrow.Quantiles {
		res.Latency = append(res.Latency, hotrow.Quantile{Part: part, Time: times[i]})
	}
	return res
}

// hot has about what one hot row has been measured to do on two cores.
func hot() hotrow.Report {
	cell := func(callers int, rates ...float64) hotrow.Cell {
		c := hotrow.Cell{Callers: callers}
		per := func(rate float64) time.Duration { return time.Duration(float64(callers) / rate * float64(time.Second)) }
		for i, s := range hotrow.Strategies() {
			p50 := per(rates[i])
			c.Results = append(c.Results, result(s.Name, rates[i], p50, 2*p50, 3*p50))
		}
		return c
	}
	r := hotrow.Report{
		Server:    hotrow.Server{Version: "9.7.4", Durable: true, Local: true},
		Machine:   hotrow.Machine{CPUs: 2},
		Processes: 1, Pool: 64, Keys: 1, Duration: 5 * time.Second, Rounds: 5,
		Cells: []hotrow.Cell{
			cell(1, 1023, 1010, 1005, 731, 1389, 1003, 742),
			cell(8, 402, 869, 1031, 690, 1311, 3736, 702),
			cell(64, 47, 217, 991, 650, 1166, 28_843, 668),
			cell(256, 9, 26, 1060, 644, 1127, 109_084, 655),
		},
	}
	r.Cells[2].Results = []hotrow.Result{
		result("cas", 47, 163*ms, 3750*ms, 3750*ms),
		result("cas-jitter", 217, 77*ms, 1890*ms, 2500*ms),
		result("queue", 991, 64*ms, 78*ms, 79*ms),
		result("for-update", 650, 94*ms, 156*ms, 162*ms),
		result("delta", 1166, 53*ms, 100*ms, 106*ms),
		result("store", 28_843, 2100*time.Microsecond, 4*ms, 5700*time.Microsecond),
		result("pessimistic", 668, 92*ms, 151*ms, 160*ms),
	}
	return r
}

// simulation is a table with the numbers of a real run: writes, and milliseconds.
func simulation(m backoffsim.Model) backoffsim.Table {
	t := backoffsim.Table{
		Model: m, Trials: 20,
		Policies: []string{"none", "exponential", "equal jitter", "full jitter", "decorrelated", backoffsim.Ours},
	}
	for _, row := range map[backoffsim.Model][]averages{
		backoffsim.Study: {
			{10, []float64{49, 50, 44, 39, 38, 45}, []float64{364, 3448, 788, 464, 431, 412}},
			{50, []float64{688, 624, 348, 333, 375, 427}, []float64{1141, 35_874, 4223, 2900, 2232, 1533}},
			{190, []float64{7989, 5119, 1761, 1772, 2442, 3171}, []float64{3528, 100_643, 9410, 7507, 7934, 4307}},
			{
				1000,
				[]float64{187_919, 74_772, 14_738, 17_006, 23_476, 56_229},
				[]float64{15_723, 308_824, 26_965, 24_313, 26_321, 17_978},
			},
		},
		backoffsim.OneAtATime: {
			{10, []float64{49, 51, 44, 40, 38, 47}, []float64{374, 3687, 809, 529, 462, 432}},
			{50, []float64{685, 607, 346, 332, 377, 426}, []float64{1176, 36_300, 4290, 2830, 2450, 1552}},
			{190, []float64{10_476, 4032, 1752, 1805, 2499, 3360}, []float64{5334, 81_376, 9562, 7676, 8536, 4710}},
			{
				1000,
				[]float64{447_181, 29_854, 15_276, 18_257, 27_298, 212_027},
				[]float64{180_300, 110_717, 29_967, 27_890, 32_898, 89_672},
			},
		},
	}[m] {
		for i, policy := range t.Policies {
			t.Rows = append(t.Rows, backoffsim.Row{
				Clients: row.clients, Policy: policy, Calls: row.calls[i], CallsPerClient: row.calls[i] / float64(row.clients),
				Finish: time.Duration(row.ms[i] * float64(ms)),
			})
		}
	}
	return t
}

type averages struct {
	clients   int
	calls, ms []float64
}
