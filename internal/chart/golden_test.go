package chart

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/backoffsim"
)

var update = flag.Bool("update", false, "write the golden files anew; look at them before you keep them")

// charts are one of each kind.
var charts = map[string]func(io.Writer) error{
	"throughput": func(w io.Writer) error { return Throughput(w, hot()) },
	"processes": func(w io.Writer) error {
		r := hot()
		r.Processes, r.Server.Version, r.Server.Durable, r.RTT, r.Keys = 4, "10.11.19-MariaDB-log", false, ms, 10_000
		return Throughput(w, r)
	},
	"bars": func(w io.Writer) error {
		r := hot()
		r.Cells = r.Cells[2:3]
		return Throughput(w, r)
	},
	"latency": func(w io.Writer) error { return Latency(w, hot(), 2) },
	"simulation": func(w io.Writer) error {
		return Simulation(w, simulation(backoffsim.Study), simulation(backoffsim.OneAtATime))
	},
}

// Ensures that each chart is, to the byte, one that was looked at, and the same each time.
func TestCharts(t *testing.T) {
	t.Parallel()
	for name, draw := range charts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got, again bytes.Buffer
			require.NoError(t, draw(&got))
			require.NoError(t, draw(&again))
			require.Equal(t, got.String(), again.String())
			path := filepath.Join("testdata", name+".svg")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err, "go test -update writes it")
			require.Equal(t, string(want), got.String(), "go test -update writes it anew; look at it")
		})
	}
}
