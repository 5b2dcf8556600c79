package operation_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// TestMain fails the package if a goroutine outlives its tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }
