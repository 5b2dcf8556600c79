package main

import (
	"net/http"
	"strings"
	"testing"
)

// Ensures that a body which is no edit of a product is refused, with the status that says in which way,
// and that nothing is written.
func TestBodies(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		long := strings.Repeat("é", maxNameRunes)
		version := uint64(1)
		for name, c := range map[string]struct {
			method, body string
			status       int
		}{
			"no JSON":           {"PUT", `name`, 400},
			"nothing":           {"PUT", ``, 400},
			"cut off":           {"PUT", `{"name":"a"`, 400},
			"two objects":       {"PUT", `{"name":"a","onHand":1}{}`, 400},
			"an array":          {"PUT", `[]`, 400},
			"a fraction":        {"PUT", `{"name":"a","onHand":1.5}`, 400},
			"a text":            {"PUT", `{"name":"a","onHand":"1"}`, 400},
			"null":              {"PATCH", `{"name":null}`, 400},
			"version":           {"PATCH", `{"version":7}`, 400},
			"id":                {"PATCH", `{"id":"2"}`, 400},
			"too large":         {"PUT", `{"name":"` + strings.Repeat("a", maxBody) + `"}`, 413},
			"half a PUT":        {"PUT", `{"name":"a"}`, 422},
			"the other half":    {"PUT", `{"onHand":1}`, 422},
			"negative":          {"PATCH", `{"onHand":-1}`, 422},
			"too much":          {"PATCH", `{"onHand":1000000001}`, 422},
			"no name":           {"PATCH", `{"name":""}`, 422},
			"long name":         {"PATCH", `{"name":"` + long + `x"}`, 422},
			"longest name":      {"PATCH", `{"name":"` + long + `"}`, 200},
			"nothing to change": {"PATCH", `{}`, 200},
			"white space":       {"PUT", " {\"name\":\"a\",\"onHand\":0} \n", 200},
		} {
			got := e.ask(t, c.method, "/products/1", e.tagOf(1, version), c.body)
			if got.status != c.status {
				t.Errorf("%s: got %+v, want %d", name, got, c.status)
			}
			if c.status == 200 {
				version++
			}
		}
		got := e.ask(t, "GET", "/products/1", "", "")
		if got.etag() != e.tagOf(1, version) {
			t.Errorf("got %+v, want version %d", got, version)
		}
	})
}

// Ensures that media types, methods and paths that are not the service's are refused.
func TestRequestsOfOtherKinds(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		const body = `{"name":"a","onHand":1}`
		for name, c := range map[string]struct {
			method, path, contentType string
			status                    int
		}{
			"no type":      {"PUT", "/products/1", "", 415},
			"PATCH's type": {"PUT", "/products/1", "application/merge-patch+json", 415},
			"PUT's type":   {"PATCH", "/products/1", "application/json", 415},
			"parameters":   {"PUT", "/products/1", "application/json; charset=utf-8", 200},
			"POST":         {"POST", "/products/1", "application/json", 405},
			"no product":   {"PUT", "/products/3", "application/json", 404},
			"a name":       {"PUT", "/products/chai", "application/json", 404},
			"zeros":        {"PUT", "/products/02", "application/json", 404},
			"signed":       {"PUT", "/products/+2", "application/json", 404},
			"too large":    {"PUT", "/products/18446744073709551616", "application/json", 404},
			"elsewhere":    {"PUT", "/product/2", "application/json", 404},
		} {
			header := http.Header{"If-Match": {"*"}}
			if c.contentType != "" {
				header.Set("Content-Type", c.contentType)
			}
			if got := e.askWith(t, c.method, c.path, header, body); got.status != c.status {
				t.Errorf("%s: got %+v, want %d", name, got, c.status)
			}
		}
		e.want(t, 1, "a", 1, 2)
		e.want(t, 2, "Chang", 17, 1)
	})
}
