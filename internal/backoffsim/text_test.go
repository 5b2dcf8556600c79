package backoffsim

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// made is a table with numbers that need each kind of rounding.
func made(m Model) Table {
	return Table{
		Model: m, Trials: 20, Policies: []string{"none", "full jitter"},
		Rows: []Row{
			{Clients: 10, Policy: "none", Calls: 49.6, CallsPerClient: 4.96, Finish: 373_400 * time.Microsecond},
			{Clients: 10, Policy: "full jitter", Calls: 39, CallsPerClient: 3.9, Finish: 480 * time.Millisecond},
			{Clients: 1000, Policy: "none", Calls: 187_919, CallsPerClient: 187.919, Finish: 15_723 * time.Millisecond},
			{Clients: 1000, Policy: "full jitter", Calls: 17_006, CallsPerClient: 17.006, Finish: 2 * time.Minute},
		},
	}
}

// Ensures that the text has every number, in columns.
func TestText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, made(Study).Text(&b))
	require.Equal(t, `the study's model: the server takes all writes at once; averages of 20 trials

writes sent, all clients together
  clients    none  full jitter
       10      50           39
     1000  187919        17006

writes sent by a client
  clients   none  full jitter
       10    5.0          3.9
     1000  187.9         17.0

time until the last client is done
  clients     none  full jitter
       10    373ms        480ms
     1000  15.723s         2m0s

writes over the numbers from 10 to 190 clients, fewest first:
  full jitter 39, none 50
`, b.String())
	b.Reset()
	require.NoError(t, made(OneAtATime).Text(&b))
	require.Contains(t, b.String(), "one at a time; averages")
}

// limited takes so many writes.
type limited struct{ left int }

var errFull = errors.New("full")

func (l *limited) Write(p []byte) (int, error) {
	if l.left--; l.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// Ensures that a text which could not be written whole is an error.
func TestTextTellsWhatTheWriterSays(t *testing.T) {
	t.Parallel()
	for writes := range 5 {
		require.ErrorIs(t, made(Study).Text(&limited{left: writes}), errFull, "after %d writes", writes)
	}
}

// Ensures that the text says what the default of sqlcas is, which its name does not, and only where it is shown; and
// that its error comes out.
func TestTextSaysWhatOursIs(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	table := Run(Options{Clients: []int{2}, Trials: 1})
	require.NoError(t, table.Text(&b))
	lines := strings.Split(b.String(), "\n")
	require.Equal(t, "sqlcas default: full jitter, 2ms to 250ms", lines[1])
	require.Equal(t, "  clients  none  exponential  equal jitter  full jitter  decorrelated  sqlcas default", lines[4])
	require.ErrorIs(t, table.Text(&limited{left: 1}), errFull)
}
