package benchdb

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

// TestMain fails the package if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }
