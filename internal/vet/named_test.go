package vet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that named parameters become question marks of the same length, and that nothing else is touched:
// columns of findings would shift otherwise.
func TestNamedParameters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		mark             byte
	}{
		{"no names", "id = ?", "id = ?", ':'},
		{"no mark", "id = :id", "id = :id", 0},
		{"sqlx", "id = :id AND version = :version", "id = ?   AND version = ?       ", ':'},
		{"a field of a struct", "id = :row.id_2;", "id = ?        ;", ':'},
		{"gorm", "id = @id AND @@autocommit", "id = ?   AND @@autocommit", '@'},
		{"a string", `':a' ":b" '\':c' '':d`, `':a' ":b" '\':c' ''? `, ':'},
		{"a quoted name", "`:a\\` = :b", "`:a\\` = ? ", ':'},
		{"comments", "/* :a */ :b -- :c\n:d # :e", "/* :a */ ?  -- :c\n?  # :e", ':'},
		{"an assignment", "@v := 1", "@v := 1", ':'},
		{"a string without an end", "':a", "':a", ':'},
		{"a mark at the end", "a :", "a :", ':'},
	} {
		require.Equal(t, c.want, unnamed(c.text, c.mark), c.name)
	}
}
