package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

func TestMain(m *testing.M) {
	if os.Getenv(playEnv) != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(mysqltest.Main(m))
}
