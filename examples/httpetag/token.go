package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

const (
	minSecret  = 32 // bytes
	macSize    = 16 // bytes of HMAC-SHA256 that are kept: 128 bits, the least that RFC 2104 advises
	tokenSize  = macSize + 8
	tokenChars = tokenSize / 3 * 4 // base64, without padding since 24 divides by 3
)

// strict refuses what encodes the same bytes in another way.
var strict = base64.RawURLEncoding.Strict()

// signer makes a token of a row's version, and gets the version back out of a token that it has made.
// It is safe for concurrent use. Servers that are to take each other's tokens need the same secret.
//
// A token is opaque. Clients that could read a version would count changes, and compute with it; ones
// that could make one would skip the check, by sending what they guess the next version to be. So it
// is signed, for one row of one table: it says nothing about any other. And it is masked, by the way of
// RFC 5297: the signature, which differs from token to token and looks random, is what the mask is made
// of. The same version always has the same token, as an ETag must.
//
// A row that is deleted and entered anew under the same key starts at version 1 again, and has the old
// tokens again. Give keys out once, as AUTO_INCREMENT does.
type signer struct{ mac, mask []byte }

// newSigner makes a signer of at least 32 random bytes.
func newSigner(secret []byte) (*signer, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("the secret has %d bytes: give at least %d random ones", len(secret), minSecret)
	}
	// A key for each purpose.
	return &signer{mac: sum(secret, "httpetag: signature"), mask: sum(secret, "httpetag: mask")}, nil
}

// token returns the token of the row of table with that key at that version.
func (s *signer) token(table, key string, version uint64) string {
	signature := s.sign(table, key, version)
	raw := binary.BigEndian.AppendUint64(signature, version^s.maskOf(signature))
	return strict.EncodeToString(raw)
}

// version returns the version that a token stands for, and whether the token is one that this signer
// has made for that row. How long it takes does not depend on how much of the signature is right.
func (s *signer) version(table, key, token string) (version uint64, ok bool) {
	if len(token) != tokenChars {
		return 0, false
	}
	raw, err := strict.DecodeString(token)
	if err != nil || len(raw) != tokenSize { // the decoder skips line ends
		return 0, false
	}
	signature := raw[:macSize]
	version = binary.BigEndian.Uint64(raw[macSize:]) ^ s.maskOf(signature)
	if !hmac.Equal(signature, s.sign(table, key, version)) {
		return 0, false
	}
	return version, true
}

// sign signs table, key and version. The lengths keep table "ab" with key "c" apart from "a" with "bc".
func (s *signer) sign(table, key string, version uint64) []byte {
	var message []byte
	for _, part := range []string{table, key} {
		message = binary.BigEndian.AppendUint64(message, uint64(len(part)))
		message = append(message, part...)
	}
	message = binary.BigEndian.AppendUint64(message, version)
	return sum(s.mac, string(message))[:macSize:macSize]
}

// maskOf returns what the version is hidden behind in the token with that signature.
func (s *signer) maskOf(signature []byte) uint64 {
	return binary.BigEndian.Uint64(sum(s.mask, string(signature)))
}

// sum is HMAC-SHA256.
func sum(key []byte, message string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(message))
	return h.Sum(nil)
}
