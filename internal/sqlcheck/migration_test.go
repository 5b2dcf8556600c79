package sqlcheck

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that of each migration tool's file the way up is kept, at its place, and the way down is not.
func TestUpPart(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"goose":            "-- +goose Up\n-- +goose StatementBegin\nUP;\n-- +goose StatementEnd\n-- +goose Down\nDOWN;\n",
		"goose, crossed":   "-- +goose Down\nDOWN;\n-- +goose Up\nUP;\n",
		"goose, two parts": "-- +goose up\nUP;\n-- +goose down\nDOWN;\n-- +goose Up\nUP;",
		"sql-migrate":      "-- +migrate Up notransaction\nUP;\r\n-- +migrate Down\r\nDOWN;\r\n",
		"tern":             "UP;\n---- create above / drop below ----\nDOWN é;\n",
		"dbmate":           "-- migrate:up\nUP;\n\n-- migrate:down\nDOWN;\n",
		"none":             "UP; -- +goose Down\nUP;\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := UpPart(text)
			require.Len(t, got, len(text))
			require.NotContains(t, got, "DOWN")
			require.Equal(t, strings.Count(text, "UP;"), strings.Count(got, "UP;"))
			require.Equal(t, strings.Count(text, "\n"), strings.Count(got, "\n"))
			require.Equal(t, strings.LastIndex(text, "UP;"), strings.LastIndex(got, "UP;"))
		})
	}
}

// Ensures that a finding after a part that is left out points to its line in the file as it is.
func TestUpPart_places(t *testing.T) {
	t.Parallel()
	const text = "-- +goose Down\nDROP TABLE a;\n-- +goose Up\nCREATE TABLE a (id INT, version INT NULL COMMENT 'sqlcas:version');\n"
	found := CheckSchema(ReadSchema([]Source{{"1.sql", text}}, nil))
	require.NotEmpty(t, found)
	require.Equal(t, 4, found[0].Line)
	require.Equal(t, "CREATE TABLE a (id INT, version INT NULL COMMENT 'sqlcas:version');", found[0].Excerpt)
}

// Ensures that golang-migrate's way down is told from its way up.
func TestIsDownMigration(t *testing.T) {
	t.Parallel()
	require.True(t, IsDownMigration("db/000001_account.down.sql"))
	require.False(t, IsDownMigration("db/000001_account.up.sql"))
	require.False(t, IsDownMigration("db/down.sql"))
}
