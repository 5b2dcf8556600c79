package casgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/casgen"
)

// Ensures that tables, columns and arguments have the names that sqlc gives them, whatever gen.go says.
func TestNaming(t *testing.T) {
	t.Parallel()
	plain := casgen.Options{Go: &casgen.GoOptions{}}
	renamed := casgen.Options{
		Go: &casgen.GoOptions{Rename: map[string]string{"order": "Purchase", "url": "Link", "spotify_url": "Spotify"}},
		Overrides: &casgen.GlobalOptions{
			Rename: map[string]string{"url": "Address"},
		},
	}
	exact := casgen.Options{Go: &casgen.GoOptions{EmitExactTableNames: true}}
	excluded := casgen.Options{Go: &casgen.GoOptions{InflectionExcludeTableNames: []string{"Staff_News", "boxes"}}}
	initials := casgen.Options{Go: &casgen.GoOptions{Initialisms: &[]string{"url", "api"}}}
	type names struct{ from, want string }
	tests := map[string]struct {
		options casgen.Options
		name    func(casgen.Naming) func(string) string
		names   []names
	}{
		"tables": {plain, func(n casgen.Naming) func(string) string { return n.Struct }, []names{
			{"account", "Account"},
			{"user_accounts", "UserAccount"},
			{"UserAccounts", "Useraccount"},
			{"campus", "Campus"},
			{"meta", "Meta"},
			{"metadata", "Metadata"},
			{"calories", "Calorie"},
			{"waves", "Wave"},
			{"data", "Datum"},
			{"statuses", "Status"},
			{"people", "Person"},
			{"2fa_codes", "_2faCode"},
			{"unit prices", "UnitPrice"},
		}},
		"tables renamed by their singular": {renamed, func(n casgen.Naming) func(string) string { return n.Struct }, []names{
			{"orders", "Purchase"},
			{"order", "Purchase"},
		}},
		"tables as they are": {exact, func(n casgen.Naming) func(string) string { return n.Struct }, []names{
			{"user_accounts", "UserAccounts"},
		}},
		"tables left out": {excluded, func(n casgen.Naming) func(string) string { return n.Struct }, []names{
			{"staff_news", "StaffNews"},
			{"boxes", "Boxes"},
			{"foxes", "Fox"},
		}},
		"columns": {plain, func(n casgen.Naming) func(string) string { return n.Name }, []names{
			{"id", "ID"},
			{"account_id", "AccountID"},
			{"accountId", "Accountid"},
			{"identity", "Identity"},
			{"url", "Url"},
			{"_hidden", "Hidden"},
			{"a__b", "AB"},
			{"2fa", "_2fa"},
			{"größe", "Größe"},
			{"unit-price", "UnitPrice"},
		}},
		"columns renamed, the top level first": {renamed, func(n casgen.Naming) func(string) string { return n.Name }, []names{
			{"url", "Address"},
			{"spotify_url", "Spotify"},
			{"my_url", "MyUrl"},
		}},
		"initialisms instead of id": {initials, func(n casgen.Naming) func(string) string { return n.Name }, []names{
			{"api_url", "APIURL"},
			{"account_id", "AccountId"},
		}},
		"arguments": {initials, func(n casgen.Naming) func(string) string { return n.Arg }, []names{
			{"id", "id"},
			{"account_id", "accountID"},
			{"api_url", "apiUrl"},
			{"type", "type_"},
			{"q", "q_"},
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := test.name(casgen.NewNaming(test.options))
			for _, n := range test.names {
				require.Equal(t, n.want, of(n.from), n.from)
			}
		})
	}
}
