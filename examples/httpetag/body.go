package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"github.com/sqlcas/sqlcas/gen/shop"
)

const (
	maxBody      = 1 << 16 // bytes
	maxNameRunes = 80      // what the column holds
	maxOnHand    = 1_000_000_000
)

// representation is a row as clients see it: without its version, which the ETag stands for, and with an
// id that survives clients whose numbers are doubles.
type representation struct {
	ID     uint64 `json:"id,string"`
	Name   string `json:"name"`
	OnHand int64  `json:"onHand"`
}

func represent(row shop.Inventory) *representation {
	return &representation{ID: row.ProductID, Name: row.Name, OnHand: row.OnHand}
}

// edit is the body of PUT and PATCH.
type edit struct {
	Name   member[string] `json:"name"`
	OnHand member[int64]  `json:"onHand"`
}

// member is a JSON member that knows whether it was given.
type member[T any] struct {
	given bool
	value T
}

// UnmarshalJSON refuses null, by which RFC 7396 removes a member: a product keeps all of its own.
func (m *member[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return errors.New("no member can be null")
	}
	m.given = true
	return json.Unmarshal(text, &m.value)
}

// wholeEdit reads the body of a PUT.
func wholeEdit(w http.ResponseWriter, r *http.Request) (change, error) {
	e, err := readEdit(w, r, "application/json")
	if err != nil {
		return nil, err
	}
	if !e.Name.given || !e.OnHand.given {
		return nil, invalid("PUT replaces all of the row: give name and onHand, or use PATCH")
	}
	return e.change(), nil
}

// partialEdit reads the body of a PATCH.
func partialEdit(w http.ResponseWriter, r *http.Request) (change, error) {
	e, err := readEdit(w, r, "application/merge-patch+json")
	if err != nil {
		return nil, err
	}
	return e.change(), nil
}

// change returns what the edit does to a row. It touches nothing but the row, since it may run again.
func (e *edit) change() change {
	return func(row *shop.Inventory) error {
		if e.Name.given {
			row.Name = e.Name.value
		}
		if e.OnHand.given {
			row.OnHand = e.OnHand.value
		}
		return nil
	}
}

// readEdit reads one JSON object and checks what is in it.
func readEdit(w http.ResponseWriter, r *http.Request, mediaType string) (*edit, error) {
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != mediaType {
		return nil, &statusError{http.StatusUnsupportedMediaType, r.Method + " takes Content-Type " + mediaType}
	}
	e := &edit{}
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	body.DisallowUnknownFields()
	err := body.Decode(e)
	if err == nil {
		if _, err = body.Token(); err == nil {
			return nil, badRequest("the body: something follows the object")
		}
		if errors.Is(err, io.EOF) {
			return e, e.valid()
		}
	}
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		detail := fmt.Sprintf("the body has more than %d bytes", maxBody)
		return nil, &statusError{http.StatusRequestEntityTooLarge, detail}
	}
	return nil, badRequest("the body: " + err.Error())
}

// valid refuses values that no product can have.
func (e *edit) valid() error {
	switch n := utf8.RuneCountInString(e.Name.value); {
	case e.Name.given && (n == 0 || n > maxNameRunes):
		return invalid(fmt.Sprintf("name has %d characters: give it 1 to %d", n, maxNameRunes))
	case e.OnHand.value < 0 || e.OnHand.value > maxOnHand:
		return invalid(fmt.Sprintf("onHand is %d: give a number from 0 to %d", e.OnHand.value, maxOnHand))
	}
	return nil
}
