package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// tolerateStdlib is this command's only option of its own, and comes before govulncheck's.
const tolerateStdlib = "-tolerate-stdlib"

// finding is the part of one result in govulncheck's JSON that tells whose fault it is. The first
// frame of the trace is where the vulnerability is; it names a function only if the code calls it.
type finding struct {
	OSV          string `json:"osv"`
	FixedVersion string `json:"fixed_version"`
	Trace        []struct {
		Module   string `json:"module"`
		Version  string `json:"version"`
		Function string `json:"function"`
	} `json:"trace"`
}

// onlyStdlib scans once more, as JSON, and reports whether every vulnerability the code calls is in
// the Go installation's standard library; note then says which, and what mends them. No called
// vulnerability at all is an error, since the text report had found some.
func onlyStdlib(ctx context.Context, url string, args []string) (bool, string, error) {
	code, out, errOut := govulncheck(ctx, url, append([]string{"-format", "json"}, args...))
	if code != exitClean { // as JSON it exits 0 whatever it finds
		return false, "", fmt.Errorf("govulncheck -format json: exit %d: %s", code, errOut)
	}
	called, err := calledFindings(bytes.NewReader(out))
	if err != nil {
		return false, "", err
	}
	if len(called) == 0 {
		return false, "", errors.New("govulncheck -format json: no finding where the text had some")
	}
	var note string
	var mends []string
	for _, f := range called {
		if f.Trace[0].Module != "stdlib" {
			return false, "", nil
		}
		mend := fmt.Sprintf("%s in Go %s, fixed in %s", f.OSV, f.Trace[0].Version,
			cmp.Or(f.FixedVersion, "no release yet"))
		if !slices.Contains(mends, mend) { // one finding per trace
			mends = append(mends, mend)
		}
	}
	for _, mend := range mends {
		note += "\nvuln:   " + mend
	}
	return true, note, nil
}

// calledFindings reads govulncheck's stream of JSON messages and keeps the findings whose
// vulnerable function the code calls.
func calledFindings(r io.Reader) ([]finding, error) {
	var called []finding
	for dec := json.NewDecoder(r); ; {
		var message struct{ Finding *finding }
		err := dec.Decode(&message)
		if errors.Is(err, io.EOF) {
			return called, nil
		}
		if err != nil {
			return nil, fmt.Errorf("govulncheck -format json: %w", err)
		}
		if f := message.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			called = append(called, *f)
		}
	}
}
