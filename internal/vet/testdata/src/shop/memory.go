package shop

import "context"

// Memory is written by hand, in the package that sqlc generates.
type Memory struct{}

// Deduct is called as the generated one is.
func (Memory) Deduct(ctx context.Context, arg DeductParams) (int64, error) { return 0, nil }
