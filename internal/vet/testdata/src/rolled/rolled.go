// Package rolled is given a pool by the program, and transactions by its tests.
package rolled

import (
	"context"
	"database/sql"

	"example.com/shop/shop"
)

// Service reads.
type Service struct {
	q *shop.Queries
	Q *shop.Queries
}

// New is how the program makes one.
func New(db *sql.DB) *Service { return &Service{q: shop.New(db), Q: shop.New(db)} }

func (s *Service) inside(ctx context.Context) (int64, error) { return s.q.LockBalance(ctx, 1) }

func (s *Service) outside(ctx context.Context) (int64, error) { return s.Q.LockBalance(ctx, 1) }
