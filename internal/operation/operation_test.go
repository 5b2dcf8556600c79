package operation_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
	"github.com/sqlcas/sqlcas/internal/operation"
	"github.com/sqlcas/sqlcas/schema"
)

// counting counts the statements that go through it.
type counting struct {
	*sql.DB
	queries, execs int
	sent           []string
}

func (c *counting) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	c.queries++
	return c.DB.QueryContext(ctx, query, args...)
}

func (c *counting) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	c.execs++
	for i := 0; i < len(args); i += 4 {
		c.sent = append(c.sent, string(args[i].([]byte)))
	}
	return c.DB.ExecContext(ctx, query, args...)
}

// some makes n operations with ids in no order.
func some(prefix string, n int) []operation.Operation {
	ops := make([]operation.Operation, n)
	for i := range ops {
		ops[i] = operation.Operation{
			ID: fmt.Sprintf("%s-%d", prefix, (i*7919)%n), Target: operation.Target("account", "", i),
			Fingerprint: operation.Fingerprint([]byte{byte(i)}),
		}
	}
	return ops
}

// Ensures that a batch of any size is entered in the order of its ids and found in its own, a thousand a
// statement, and that each try knows what it has written itself.
func TestABatchIsEnteredAndFound(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db := &counting{DB: s.DB(t, schema.Sqlcas()...)}
		for n, statements := range map[int]int{1: 1, 64: 1, 1000: 1, 1001: 2, 4096: 5} {
			ops := some(fmt.Sprint(n), n)
			try, other := operation.NewAttempt(), operation.NewAttempt()
			db.queries, db.execs, db.sent = 0, 0, nil
			require.NoError(t, operation.Insert(t.Context(), db, try, ops...))
			require.IsIncreasing(t, db.sent)
			require.Len(t, db.sent, n)
			asked := append(some("absent", 1), ops...)
			found, err := operation.Find(t.Context(), db, asked[:n]...)
			require.NoError(t, err)
			require.Equal(t, []int{statements, statements}, []int{db.execs, db.queries})
			for i, f := range found {
				require.Equal(t, operation.Finding{Applied: i > 0}, f)
			}
			for a, want := range map[operation.Attempt]bool{try: true, other: false} {
				got, err := operation.Applied(t.Context(), db, a, ops[0].ID)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
		got, err := operation.Applied(t.Context(), db, operation.NewAttempt(), "absent")
		require.NoError(t, err)
		require.False(t, got)
	})
}

// Ensures that an id that is there has the whole INSERT refused, under an error of its own, and that Find tells
// what differs.
func TestATakenIDIsTold(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db := s.DB(t, schema.Sqlcas()...)
		op := operation.Operation{ID: "id", Target: "account 7"}
		require.NoError(t, operation.Insert(t.Context(), db, operation.NewAttempt(), op))
		err := operation.Insert(t.Context(), db, operation.NewAttempt(), operation.Operation{ID: "new"}, op)
		require.IsType(t, &operation.TakenError{}, err)
		require.ErrorContains(t, err, "1062")
		found, err := operation.Find(t.Context(), db, operation.Operation{ID: "new"}, op,
			operation.Operation{ID: "id", Target: "account 8"},
			operation.Operation{ID: "id", Target: "account 7", Fingerprint: "x"},
			operation.Operation{ID: "id", Fingerprint: "x"})
		require.NoError(t, err)
		differs := func(target, what string) operation.Finding {
			return operation.Finding{Applied: true, Mismatch: &operation.Mismatch{
				ID: "id", Target: target, StoredTarget: "account 7", Differs: what,
			}}
		}
		require.Equal(t, []operation.Finding{
			{},
			{Applied: true},
			differs("account 8", "target"), differs("account 7", "fingerprint"),
			differs("", "target and fingerprint"),
		}, found)
	})
}

// Ensures that every use of a table that is not there says how to create it, and that errors about other tables
// stay what they are.
func TestTheMissingTableIsNamed(t *testing.T) {
	t.Parallel()
	mysqltest.Each(t, func(t *testing.T, s *mysqltest.Server) {
		db := s.DB(t)
		op := operation.Operation{ID: "id"}
		_, found := operation.Find(t.Context(), db, op)
		_, applied := operation.Applied(t.Context(), db, operation.NewAttempt(), op.ID)
		_, _, page := operation.Page(t.Context(), db, "", 1)
		for _, err := range []error{
			found, applied, page, operation.Insert(t.Context(), db, operation.NewAttempt(), op),
		} {
			require.ErrorContains(t, err, "sqlcas migrate sqlcas")
			require.ErrorContains(t, err, "CREATE TABLE sqlcas_operation ( id VARBINARY(255) NOT NULL, target")
			require.NotContains(t, err.Error(), "--")
			require.Less(t, strings.Index(err.Error(), "CREATE"), strings.Index(err.Error(), "1146"))
		}
	})
}

// Ensures that no two tries have one name.
func TestAttemptsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[operation.Attempt]bool{}
	for range 1000 {
		seen[operation.NewAttempt()] = true
	}
	require.Len(t, seen, 1000)
	require.False(t, seen[operation.Attempt{}])
}
