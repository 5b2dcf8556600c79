package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sqlcas/sqlcas/bench/internal/paired"
)

// outcome is what one server came to: an element of what -json writes.
type outcome struct {
	Server   string     `json:"server"`
	Version  string     `json:"version"`
	Settings string     `json:"settings"` // what a commit is worth
	Pings    []pinged   `json:"pings"`
	Compared []compared `json:"compared"`
}

// pinged is what SELECT 1 takes with an added round trip.
type pinged struct {
	RoundTrip time.Duration `json:"rtt_ns"`
	Micros    float64       `json:"micros"`
}

// compared is what one comparison came to.
type compared struct {
	RoundTrip time.Duration `json:"rtt_ns"` // that was added
	Work      string        `json:"work"`
	Unit      string        `json:"unit"`    // of the two medians
	ByHand    float64       `json:"by_hand"` // median over the rounds
	Store     float64       `json:"store"`
	Ratios    paired.Sample `json:"ratios"` // throughput of the Store / by hand, of each round
	Target    float64       `json:"target"` // of the median ratio; 0: none
}

// text lays an outcome out as a table.
func (o outcome) text() string {
	var pings []string
	for _, p := range o.Pings {
		pings = append(pings, fmt.Sprintf("%.0f µs (%s)", p.Micros, added(p.RoundTrip)))
	}
	var rows strings.Builder
	for _, c := range o.Compared {
		fmt.Fprintf(&rows, "%s\t%s\t%.0f %s\t%.0f %s\t%s\t%s\t\n", added(c.RoundTrip), c.Work,
			c.ByHand, c.Unit, c.Store, c.Unit, c.Ratios.Spread(3), verdict(c.Ratios.Median(), c.Target))
	}
	return fmt.Sprintf("\n%s %s, %s; SELECT 1 takes %s\n", o.Server, o.Version, o.Settings, strings.Join(pings, ", ")) +
		aligned(rows.String())
}

// writeJSON writes all outcomes.
func writeJSON(w io.Writer, all []outcome) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

// added writes a round trip that is added: +0, +1ms.
func added(roundTrip time.Duration) string {
	if roundTrip == 0 {
		return "+0"
	}
	return "+" + roundTrip.String()
}

// verdict says what a ratio was to reach, and whether it has. It is for readers: a benchmark does not fail by
// the time that it took.
func verdict(ratio, target float64) string {
	switch {
	case target == 0:
		return ""
	case ratio >= target:
		return fmt.Sprintf("%.2f: reached", target)
	}
	return fmt.Sprintf("%.2f: MISSED", target)
}

// aligned lays rows of tab-separated cells out under their headings.
func aligned(rows string) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "round trip\twork\tby hand\tStore\tratio [quartiles]\ttarget\t\n", rows)
	_ = w.Flush() // a strings.Builder takes everything
	return out.String()
}
