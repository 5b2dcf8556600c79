// Package sku has types of an application's own that the overrides of internal/hardtables put into rows.
package sku

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
)

// Tracking is the number of a parcel: a key type that is an array.
type Tracking [16]byte

// Scan reads it from BINARY(16).
func (t *Tracking) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(t) {
		return fmt.Errorf("sku: %T of %d bytes is no tracking number", src, len(b))
	}
	copy(t[:], b)
	return nil
}

// Value is its bytes.
func (t Tracking) Value() (driver.Value, error) { return t[:], nil }

// String is for people.
func (t Tracking) String() string { return hex.EncodeToString(t[:]) }
