package rolled_test

import (
	"database/sql"
	"testing"

	"example.com/shop/rolled"
	"example.com/shop/shop"
)

func TestOutside(t *testing.T) {
	var tx *sql.Tx
	s := rolled.New(nil)
	s.Q = shop.New(tx)
}
