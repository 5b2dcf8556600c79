package sqlcheck

import (
	"testing"

	"go.uber.org/goleak"
)

// Ensures that no test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
