package faultproxy_test

import (
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/internal/faultproxy"
	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// Ensures that a statement which commits itself meets its fault, be it sent as text or prepared; that
// statements which do not match, and COMMITs, pass; and that only as many as told are met.
func TestFaultStatements(t *testing.T) {
	t.Parallel()
	isUpdate := func(query string) bool { return strings.HasPrefix(query, "UPDATE") }
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		b := setup(t, s)
		for n, args := range [][]any{{}, {0}} { // without arguments the driver sends the text, else it prepares
			query := map[int]string{0: "UPDATE item SET n = n + 10", 1: "UPDATE item SET n = n + 10 + ?"}[len(args)]
			b.proxy.FaultStatements(isUpdate, faultproxy.DropReply, 1)
			var one int
			if err := b.through.QueryRowContext(t.Context(), "SELECT 1").Scan(&one); err != nil {
				t.Errorf("SELECT while UPDATEs are to fail: %v", err)
			}
			if _, err := b.through.ExecContext(t.Context(), query, args...); err == nil {
				t.Errorf("%q whose reply is dropped: got no error", query)
			}
			if got := b.value(t); got != 10+n*1000 {
				t.Errorf("value after the dropped reply of %q: got %d, want %d", query, got, 10+n*1000)
			}
			b.proxy.FaultStatements(isUpdate, faultproxy.DropRequest, 1)
			if _, err := b.through.ExecContext(t.Context(), query, args...); err == nil {
				t.Errorf("%q that is dropped: got no error", query)
			}
			if got := b.value(t); got != 10+n*1000 {
				t.Errorf("value after the dropped %q: got %d, want %d", query, got, 10+n*1000)
			}
			if b.proxy.Orphans() != 1 {
				t.Errorf("orphans after the dropped %q: got %d, want 1", query, b.proxy.Orphans())
			}
			b.proxy.ReleaseOrphans()
			eventually(t, "the orphan is gone", func() bool { return b.proxy.Orphans() == 0 })
			if _, err := b.add(t.Context(), t, 1000); err != nil {
				t.Errorf("a transaction after the faults: %v", err)
			}
		}
		if got, want := b.proxy.Count(faultproxy.Pass), 2; got != want {
			t.Errorf("COMMITs passed: got %d, want %d", got, want)
		}
	})
}
