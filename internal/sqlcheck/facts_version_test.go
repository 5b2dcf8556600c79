package sqlcheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that the text about an upsert says what is wrong with it: not that it does not compare the version where
// it does.
func TestCheckUpsert_text(t *testing.T) {
	t.Parallel()
	catalog := testCatalog(t)
	const head = "INSERT INTO account (id, owner, version) VALUES (1, 'a', 1) ON DUPLICATE KEY UPDATE "
	for text, want := range map[string]string{
		"owner = 'a'": "whatever version it is at",
		"owner = IF(version = VALUES(version), VALUES(owner), owner)":                                "an insert happens whatever was read",
		"id = id, owner = CASE WHEN version = VALUES(version) THEN VALUES(owner) ELSE owner END":     "an insert happens whatever was read",
		"owner = IF(version = VALUES(version), VALUES(owner), owner), balance = VALUES(balance) + 1": "whatever version it is at",
		"owner = IF(balance > 0, VALUES(owner), owner)":                                              "whatever version it is at",
	} {
		src := Source{"a.sql", head + text}
		found := Check(Input{Catalog: catalog}, Parse(src, Span{0, len(src.Text)}))
		require.NotEmpty(t, found, text)
		require.Equal(t, "CAS011", found[0].Rule)
		require.Contains(t, found[0].Message, want, text)
	}
}
