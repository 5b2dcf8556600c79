package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the package if a test leaves a goroutine behind. Started by a test that runs the program, it is
// the program's service.
func TestMain(m *testing.M) {
	if os.Getenv(envServe) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}
