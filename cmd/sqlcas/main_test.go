package main

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sqlcas/sqlcas/internal/mysqltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(mysqltest.Main(m)) }
