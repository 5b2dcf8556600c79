package faultproxy

import "testing"

// Ensures that a COMMIT is seen however it is written, and nothing else is taken for one.
func TestIsCommit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"\x03COMMIT": true, "\x03commit": true, "\x03 \n Commit ; ": true, "\x03COMMIT WORK": true,
		"\x03/* a */ /*b*/commit": true, "\x03\x00\x01COMMIT": true, "\x03COMMIT AND CHAIN": true,
		"": false, "\x03": false, "\x03ROLLBACK": false, "\x03COMMITS": false, "\x16COMMIT": false,
		"\x03SELECT 'COMMIT'": false, "\x03/* COMMIT": false, "\x03/* COMMIT */": false,
	} {
		if got := isCommit([]byte(text)); got != want {
			t.Errorf("isCommit(%q): got %v, want %v", text, got, want)
		}
	}
}
