package hotrow

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Text writes the report as tables for a terminal, one for each number of callers.
func (r Report) Text(w io.Writer) error {
	var b strings.Builder
	r.head(&b)
	for _, c := range r.Cells {
		r.cell(&b, c)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// head says what was measured, and on what.
func (r Report) head(b *strings.Builder) {
	if !r.Server.Durable {
		b.WriteString("NOT DURABLE: this server answers commits before they are on disk. In production each costs more.\n\n")
	}
	durable := "durable"
	if !r.Server.Durable {
		durable = "not durable"
	}
	fmt.Fprintf(b, "%s, %s", r.Server.Title(), durable)
	if isolation := r.Server.isolation(); isolation != "" {
		fmt.Fprintf(b, ", %s", isolation)
	}
	fmt.Fprintf(b, "\n%s; %s; %s\n", Counted(r.Keys, "row", "rows"), r.processes(),
		Counted(r.Pool, "connection each", "connections each"))
	if r.RTT > 0 {
		fmt.Fprintf(b, "%s added to each round trip\n", Short(r.RTT))
	}
	fmt.Fprintf(b, "%s of %s for each strategy, by turns\n", Counted(r.Rounds, "round", "rounds"), Short(r.turn()))
	switch cpus := Counted(r.Machine.CPUs, "CPU", "CPUs"); {
	case r.Server.Local:
		fmt.Fprintf(b, "callers and server share %s%s\n", cpus, r.Machine.model())
	default:
		fmt.Fprintf(b, "callers have %s%s\n", cpus, r.Machine.model())
	}
}

// turn is how long a strategy worked in a round.
func (r Report) turn() time.Duration { return r.Duration / time.Duration(max(r.Rounds, 1)) }

// processes says how many there are.
func (r Report) processes() string { return Counted(r.Processes, "process", "processes") }

// model is the CPU's model after a comma, if it is known.
func (m Machine) model() string {
	if m.CPU == "" {
		return ""
	}
	return ", " + m.CPU
}

// Title is the server's name and version: MySQL 9.7.4, MariaDB 10.11.19.
func (s Server) Title() string {
	number, _, maria := strings.Cut(s.Version, "-MariaDB")
	if maria {
		return "MariaDB " + number
	}
	number, _, _ = strings.Cut(number, "-")
	return "MySQL " + number
}

// isolation is the level that the sessions had; servers call the variable by one of two names.
func (s Server) isolation() string {
	for _, v := range s.Settings {
		if v.Name == "transaction_isolation" || v.Name == "tx_isolation" {
			return v.Value
		}
	}
	return ""
}

// cell writes the table of one number of callers.
func (r Report) cell(b *strings.Builder, c Cell) {
	base := c.Base()
	fmt.Fprintf(b, "\n%s", Counted(c.Callers, "caller", "callers"))
	if r.Processes > 1 {
		fmt.Fprintf(b, " in each of %s", r.processes())
	}
	b.WriteByte('\n')
	spread := "quartiles"
	if r.Rounds < roundsForQuartiles {
		spread = "min-max"
	}
	lines := [][]string{{"strategy", "updates/s", spread, "x " + base.Strategy, "p50", "p99", "max", "tries", "most/fewest"}}
	for _, res := range c.Results {
		low, high := res.Spread()
		lines = append(lines, []string{
			res.Strategy, Rate(res.Rate()), Rate(low) + " - " + Rate(high), ratioText(Ratio(res, base)),
			res.within(0.5), res.within(0.99), res.within(1), res.tries(), res.fairness(),
		})
	}
	align(b, lines)
	r.notes(b, c)
}

// within writes a time of Latency, which nothing has that was never done.
func (res Result) within(part float64) string {
	if len(res.Latency) == 0 {
		return "-"
	}
	return Short(res.Within(part))
}

// tries is how many an update took on average.
func (res Result) tries() string {
	if res.Attempts == 0 || res.Done == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(res.Attempts)/float64(res.Done), 'f', 2, 64)
}

// fairness sets the caller who got the most beside the one who got the fewest.
func (res Result) fairness() string {
	if res.FewestByCaller == 0 {
		return fmt.Sprintf("%d/0", res.MostByCaller)
	}
	return strconv.FormatFloat(float64(res.MostByCaller)/float64(res.FewestByCaller), 'f', 2, 64)
}

func ratioText(ratio float64) string {
	switch {
	case ratio == 0:
		return "-"
	case ratio < 10:
		return strconv.FormatFloat(ratio, 'f', 2, 64)
	case ratio < 100:
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return Grouped(ratio)
}

// Rate writes updates a second, with a decimal where there are so few that it matters, and two digits of what is
// hardly any.
func Rate(perSecond float64) string {
	switch {
	case perSecond == 0:
		return "0"
	case perSecond < 0.095:
		return strconv.FormatFloat(perSecond, 'g', 2, 64)
	case perSecond < 9.95:
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	return Grouped(perSecond)
}

// Grouped writes a number without decimals, its thousands apart.
func Grouped(n float64) string {
	digits := strconv.FormatFloat(n, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Counted writes a number and what is counted.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(float64(n)) + " " + many
}

// Short writes a time with three digits at most, in the unit that fits: 640 µs, 1.2 ms, 3.75 s.
func Short(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Microsecond, "µs"}, {time.Millisecond, "ms"}, {time.Second, "s"}} {
		text := strconv.FormatFloat(float64(d)/float64(u.size), 'g', 3, 64)
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || value >= 1000 && u.size < time.Second {
			continue
		}
		return strconv.FormatFloat(value, 'f', -1, 64) + " " + u.name
	}
	return d.String()
}

// align writes lines of cells below each other: the first of each to the left, the others to the right.
func align(b *strings.Builder, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, text := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, line := range lines {
		for i, text := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if i == 0 {
				b.WriteString(text + pad)
				continue
			}
			b.WriteString("  " + pad + text)
		}
		b.WriteByte('\n')
	}
}
