package operation_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/schema"
)

// Ensures that a row takes the room which docs/exactly-once.md says, within a quarter: servers split pages in their own
// ways, and random ids fall as they do.
func TestRowsTakeTheRoomThatTheDocumentSays(t *testing.T) {
	t.Parallel()
	const rows, atOnce = 100_000, 1000
	rising := func(n int) string { return fmt.Sprintf("0199f3c0-%04x-7%03x-8000-0123456789ab", n>>12, n&0xfff) }
	random := func(int) string {
		b := make([]byte, 16)
		for i := range b {
			b[i] = byte(rand.Uint32())
		}
		h := hex.EncodeToString(b)
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	}
	for _, c := range []struct {
		name        string
		id          func(n int) string
		fingerprint string
		want        int
	}{
		{"rising ids with fingerprints", rising, string(make([]byte, 32)), 142},
		{"rising ids without", rising, "", 100},
		{"random ids with fingerprints", random, string(make([]byte, 32)), 226},
		{"random ids without", random, "", 173},
	} {
		t.Run(c.name, func(t *testing.T) {
			mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
				db := s.DB(t, schema.Sqlcas()...)
				for n := 0; n < rows; n += atOnce {
					ops := make([]operation.Operation, atOnce)
					for i := range ops {
						ops[i] = operation.Operation{ID: c.id(n + i), Fingerprint: c.fingerprint, Target: "account 42"}
					}
					require.NoError(t, operation.Insert(t.Context(), db, operation.NewAttempt(), ops...))
				}
				_, err := db.ExecContext(t.Context(), "ANALYZE TABLE sqlcas_operation")
				require.NoError(t, err)
				var size int
				require.NoError(t, db.QueryRowContext(t.Context(), "SELECT DATA_LENGTH FROM information_schema.TABLES "+
					"WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'sqlcas_operation'").Scan(&size))
				mysqltest.Tables(func(w io.Writer) {
					fmt.Fprintf(w, "%s, %v: %d bytes a row\n", c.name, s, size/rows)
				})
				require.InEpsilon(t, c.want, size/rows, 0.25)
			})
		})
	}
}
