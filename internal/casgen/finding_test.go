package casgen_test

import (
	"fmt"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

func place(f sqlcheck.Finding) string { return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column) }
