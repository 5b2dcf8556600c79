package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
)

// testSecret is what the tests sign with.
var testSecret = bytes.Repeat([]byte{7}, minSecret)

func testSigner(t testing.TB, secret []byte) *signer {
	t.Helper()
	s, err := newSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Ensures that a token gives its version back for its own row, for all sizes of versions, and that it
// stays what it is from one release to the next, since clients keep it.
func TestTokenGivesItsVersionBack(t *testing.T) {
	t.Parallel()
	s := testSigner(t, testSecret)
	for _, version := range []uint64{0, 1, 2, 255, 1 << 31, 1<<64 - 1} {
		token := s.token("inventory", "1", version)
		if len(token) != tokenChars || strings.ContainsAny(token, "\"+/= ") {
			t.Errorf("got token %q, want %d characters that need no escaping", token, tokenChars)
		}
		if got, ok := s.version("inventory", "1", token); !ok || got != version {
			t.Errorf("got version %d, %v, want %d", got, ok, version)
		}
	}
	const want = "bX0__H5YbqsXgAWCW7P-jX0WX2BT4D8f" // computed by other means
	if got := s.token("inventory", "1", 1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Ensures that a token passes for no other row, of another key, another table, or names that run
// together to the same text, and not with another secret.
func TestTokenIsOfOneRow(t *testing.T) {
	t.Parallel()
	s := testSigner(t, testSecret)
	token := s.token("ab", "c", 3)
	for _, row := range [][2]string{
		{"ab", "d"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}, {"AB", "c"}, {"ab", "c\x00"},
	} {
		if got, ok := s.version(row[0], row[1], token); ok {
			t.Errorf("got version %d of table %q, key %q for another row's token", got, row[0], row[1])
		}
	}
	if _, ok := testSigner(t, bytes.Repeat([]byte{8}, minSecret)).version("ab", "c", token); ok {
		t.Error("got a version by another secret, want none")
	}
}

// Ensures that no bit of a token can be changed, that none can be left out or added, and that the same
// bytes in another spelling are not the token: one version, one token.
func TestTokenCannotBeChanged(t *testing.T) {
	t.Parallel()
	s := testSigner(t, testSecret)
	token := s.token("inventory", "1", 3)
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(raw) * 8 {
		forged := bytes.Clone(raw)
		forged[bit/8] ^= 1 << (bit % 8)
		if v, ok := s.version("inventory", "1", base64.RawURLEncoding.EncodeToString(forged)); ok {
			t.Errorf("bit %d: got version %d, want none", bit, v)
		}
	}
	for _, forged := range []string{
		"", token[:len(token)-1], token[:len(token)-4], token[4:], token + "AAAA", token + "=", " " + token,
		token[:4] + "\n" + token[4:], token[:4] + "\n" + token[5:], token[:31] + "\r", strings.ToUpper(token),
		"1", "3", strings.Repeat("A", tokenChars), strings.Repeat("é", tokenChars/2),
	} {
		if v, ok := s.version("inventory", "1", forged); ok {
			t.Errorf("%q: got version %d, want none", forged, v)
		}
	}
}

// Ensures that a version cannot be read out of a token, nor the step from one version to the next.
func TestTokenIsOpaque(t *testing.T) {
	t.Parallel()
	s := testSigner(t, testSecret)
	seen := map[string]uint64{}
	for version := range uint64(2000) {
		raw, err := base64.RawURLEncoding.DecodeString(s.token("inventory", "1", version))
		if err != nil {
			t.Fatal(err)
		}
		masked := raw[macSize:]
		if binary.BigEndian.Uint64(masked) == version {
			t.Errorf("version %d can be read in its token", version)
		}
		// The upper half is 0 in all of these versions.
		if other, ok := seen[string(masked[:4])]; ok {
			t.Errorf("versions %d and %d look alike: % x", other, version, masked)
		}
		seen[string(masked[:4])] = version
	}
}

// Ensures that a short secret is refused: an empty one would let everybody sign.
func TestShortSecretIsRefused(t *testing.T) {
	t.Parallel()
	for _, secret := range [][]byte{nil, testSecret[1:]} {
		if _, err := newSigner(secret); err == nil {
			t.Errorf("got a signer with a secret of %d bytes", len(secret))
		}
	}
}

// FuzzToken ensures that no text makes the parser panic, and that the only text which it takes for a
// version of a row is that version's token.
func FuzzToken(f *testing.F) {
	s := testSigner(f, testSecret)
	token := s.token("inventory", "1", 3)
	for _, seed := range []string{token, token[1:], token + "=", token[:8] + "\n" + token[9:], "", "W/", "*"} {
		f.Add("inventory", "1", seed, uint64(3))
	}
	f.Add("ab", "c", s.token("a", "bc", 1), uint64(1))
	f.Fuzz(func(t *testing.T, table, key, text string, version uint64) {
		if v, ok := s.version(table, key, text); ok && s.token(table, key, v) != text {
			t.Errorf("%q is taken for version %d of %q %q, and is not its token", text, v, table, key)
		}
		token := s.token(table, key, version)
		if v, ok := s.version(table, key, token); !ok || v != version {
			t.Errorf("%q of version %d of %q %q: got %d, %v", token, version, table, key, v, ok)
		}
		if v, ok := s.version(table+"x", key, token); ok {
			t.Errorf("%q of table %q passes for version %d of another", token, table, v)
		}
		if v, ok := s.version(table, key+"x", token); ok {
			t.Errorf("%q of key %q passes for version %d of another", token, key, v)
		}
	})
}
