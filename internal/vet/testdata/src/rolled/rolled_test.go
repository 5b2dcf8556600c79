package rolled

import (
	"database/sql"
	"testing"

	"example.com/shop/shop"
)

func TestInside(t *testing.T) {
	var tx *sql.Tx
	s := &Service{q: shop.New(tx)}
	s.inside(t.Context())
}
