package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sqlcas/sqlcas/gen/shop"
)

// Ensures that a row goes to a client and back: GET, PUT, PATCH and DELETE, each with the ETag of the
// answer before it, and that no answer tells the version.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		got := e.ask(t, "GET", "/products/1", "", "")
		if got.status != 200 || got.row != (representation{1, "Chai", 39}) || got.etag() != e.tagOf(1, 1) {
			t.Errorf("GET: got %+v, want Chai with its ETag", got)
		}
		if got.text != `{"id":"1","name":"Chai","onHand":39}`+"\n" {
			t.Errorf("GET: got %q, want id, name and onHand alone", got.text)
		}
		put := e.ask(t, "PUT", "/products/1", got.etag(), `{"name":"Tea","onHand":35}`)
		if put.status != 200 || put.row != (representation{1, "Tea", 35}) || put.etag() == got.etag() ||
			put.header.Get("Content-Location") != "/products/1" {
			t.Errorf("PUT: got %+v, want the row as written with a new ETag", put)
		}
		patch := e.ask(t, "PATCH", "/products/1", put.etag(), `{"onHand":34}`)
		if patch.status != 200 || patch.row != (representation{1, "Tea", 34}) {
			t.Errorf("PATCH: got %+v, want Tea, 34", patch)
		}
		e.want(t, 1, "Tea", 34, 3)
		if again := e.ask(t, "GET", "/products/1", "", ""); again.etag() != patch.etag() || again.row != patch.row {
			t.Errorf("GET: got %+v, want what PATCH has answered: %+v", again, patch)
		}
		if gone := e.ask(t, "DELETE", "/products/1", patch.etag(), ""); gone.status != 204 || gone.text != "" {
			t.Errorf("DELETE: got %+v, want 204", gone)
		}
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			got := e.ask(t, method, "/products/1", patch.etag(), `{"name":"Tea","onHand":1}`)
			if got.status != 404 || got.etag() != "" {
				t.Errorf("%s: got %+v, want 404", method, got)
			}
		}
		e.want(t, 2, "Chang", 17, 1)
	})
}

// Ensures that a GET with the ETag that the client has costs no body, by a weak comparison, and that any
// other ETag gets the row.
func TestNotModified(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		tag := e.tagOf(1, 1)
		for unless, want := range map[string]int{
			tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304,
			e.tagOf(1, 2): 200, e.tagOf(2, 1): 200, "": 200, "x": 400,
		} {
			got := e.askWith(t, "GET", "/products/1", http.Header{"If-None-Match": {unless}}, "")
			if got.status != want || want == 304 && (got.text != "" || got.etag() != tag) {
				t.Errorf("If-None-Match %s: got %+v, want %d", unless, got, want)
			}
		}
	})
}

// refused are the conditions that no change gets past, with the status; tag is the current one.
func refused(e *env, tag string) map[string]struct {
	ifMatch []string
	status  int
} {
	type c = struct {
		ifMatch []string
		status  int
	}
	otherTable := `"` + e.service.tags.token("account", "1", 2) + `"`
	otherSecret := (&env{service: &service{tags: &signer{mac: []byte("x"), mask: []byte("x")}}}).tagOf(1, 2)
	flipped := []byte(tag)
	flipped[1] ^= 'a' ^ 'b'
	return map[string]c{
		"none":         {nil, 428},
		"stale":        {[]string{e.tagOf(1, 1)}, 412},
		"to come":      {[]string{e.tagOf(1, 3)}, 412},
		"all stale":    {[]string{e.tagOf(1, 1) + ", " + e.tagOf(1, 3)}, 412},
		"other row":    {[]string{e.tagOf(2, 2)}, 412},
		"other table":  {[]string{otherTable}, 412},
		"other secret": {[]string{otherSecret}, 412},
		"forged":       {[]string{string(flipped)}, 412},
		"truncated":    {[]string{tag[:len(tag)-2] + `"`}, 412},
		"the version":  {[]string{`"2"`}, 412},
		"empty":        {[]string{`""`}, 412},
		"no tags":      {[]string{""}, 412},
		"weak":         {[]string{"W/" + tag}, 412},
		"no quotes":    {[]string{strings.Trim(tag, `"`)}, 400},
		"a number":     {[]string{"2"}, 400},
		"cut off":      {[]string{tag[:len(tag)-1]}, 400},
		"* and a tag":  {[]string{"*", tag}, 400},
	}
}

// Ensures that no change is made without the row's own current strong tag, whichever method asks: 428
// without a condition, 400 for what is none, and 412, with the row as it is and its ETag, for tags that
// are stale, of another row or table, forged, truncated or weak.
func TestNothingChangesWithoutTheCurrentTag(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		first := e.ask(t, "PUT", "/products/1", e.tagOf(1, 1), `{"name":"Tea","onHand":5}`)
		for name, c := range refused(e, first.etag()) {
			for method, contentType := range map[string]string{
				"PUT": "application/json", "PATCH": "application/merge-patch+json", "DELETE": "",
			} {
				header := http.Header{"Content-Type": {contentType}}
				if c.ifMatch != nil {
					header["If-Match"] = c.ifMatch
				}
				got := e.askWith(t, method, "/products/1", header, `{"name":"overwritten","onHand":0}`)
				if got.status != c.status || got.detail == "" {
					t.Errorf("%s, %s: got %+v, want %d and why", name, method, got, c.status)
				}
				if c.status == 412 && (got.etag() != first.etag() || got.row != first.row) {
					t.Errorf("%s, %s: got %+v, want the row as it is with its ETag", name, method, got)
				}
			}
		}
		e.want(t, 1, "Tea", 5, 2)
	})
}

// Ensures that one current tag among others is enough, wherever it stands, and that * takes the row as it
// is, for PATCH, PUT and DELETE, if there is one.
func TestListsAndStar(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		lists := []string{
			e.tagOf(1, 1) + `, "x"`,
			e.tagOf(1, 1) + ", " + e.tagOf(1, 2),
			e.tagOf(2, 1) + ", W/" + e.tagOf(1, 3) + ", " + e.tagOf(1, 3),
			e.tagOf(1, 4) + ", " + e.tagOf(1, 3) + ", " + e.tagOf(1, 4),
			"*",
		}
		for i, list := range lists {
			got := e.ask(t, "PATCH", "/products/1", list, `{"onHand":`+strconv.Itoa(i)+`}`)
			if got.status != 200 || got.row.OnHand != int64(i) {
				t.Errorf("If-Match %s: got %+v, want 200", list, got)
			}
		}
		e.want(t, 1, "Chai", int64(len(lists)-1), uint64(1+len(lists)))
		if got := e.ask(t, "PUT", "/products/1", "*", `{"name":"Tea","onHand":1}`); got.status != 200 {
			t.Errorf("PUT *: got %+v, want 200", got)
		}
		for _, want := range []int{204, 404} {
			if got := e.ask(t, "DELETE", "/products/1", "*", ""); got.status != want {
				t.Errorf("DELETE *: got %+v, want %d", got, want)
			}
		}
		if got := e.ask(t, "PATCH", "/products/1", "*", `{"onHand":1}`); got.status != 404 {
			t.Errorf("PATCH * of no row: got %+v, want 404", got)
		}
	})
}

// Ensures that of two clients, and of many, who have read the same row and change it at the same time
// exactly one gets 200, and every other 412 with the row and the ETag of the one.
func TestOneOfManyWins(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		version := uint64(1)
		for _, clients := range []int{2, 12} {
			tag := e.ask(t, "GET", "/products/1", "", "").etag()
			answers := make([]answer, clients)
			var start, done sync.WaitGroup
			start.Add(clients)
			for i := range clients {
				done.Go(func() {
					start.Done()
					start.Wait() // all at once
					body := fmt.Sprintf(`{"name":"by %d","onHand":%d}`, i, i)
					answers[i] = e.ask(t, "PUT", "/products/1", tag, body)
				})
			}
			done.Wait()
			version++
			var winner *answer
			for i, a := range answers {
				if a.status == 200 {
					if winner != nil {
						t.Fatalf("two of %d clients got 200: %+v and %+v", clients, *winner, a)
					}
					winner = &answers[i]
				}
			}
			if winner == nil {
				t.Fatalf("none of %d clients got 200: %+v", clients, answers)
			}
			for _, a := range answers {
				if a.status != 200 && a.status != 412 || a.row != winner.row || a.etag() != winner.etag() {
					t.Errorf("got %+v, want 412 with %+v", a, *winner)
				}
			}
			e.want(t, 1, winner.row.Name, winner.row.OnHand, version)
		}
	})
}

// Ensures that clients who add to the stock by GET and PUT, again after each 412 on the row that came with
// it, lose nothing of what anybody added.
func TestNoLostUpdateOverHTTP(t *testing.T) {
	t.Parallel()
	const clients, each = 6, 5
	onAll(t, func(t *testing.T, e *env) {
		var done sync.WaitGroup
		for range clients {
			done.Go(func() {
				for range each {
					got := e.ask(t, "GET", "/products/1", "", "")
					for {
						body := `{"name":"Chai","onHand":` + strconv.FormatInt(got.row.OnHand+1, 10) + `}`
						if got = e.ask(t, "PUT", "/products/1", got.etag(), body); got.status != 412 {
							break
						}
					}
					if got.status != 200 {
						t.Errorf("got %+v, want 200", got)
					}
				}
			})
		}
		done.Wait()
		e.want(t, 1, "Chai", 39+clients*each, 1+clients*each)
	})
}

// Ensures that both of two edits which have read the row before either has written it are told apart: the
// Store's swap decides, not the moment of the request. A closure that waits for the other one makes
// sure that they meet.
func TestEditsThatMeetInTheStore(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, e *env) {
		if strings.HasSuffix(t.Name(), "/pessimistic") {
			t.Skip("under a lock no two closures run at a time")
		}
		const clients = 2
		e.service.products = meeting{e.service.products, newBarrier(clients)}
		statuses := make(chan int, clients)
		var done sync.WaitGroup
		for i := range clients {
			done.Go(func() {
				statuses <- e.ask(t, "PATCH", "/products/1", e.tagOf(1, 1), `{"onHand":`+strconv.Itoa(i)+`}`).status
			})
		}
		done.Wait()
		if got := <-statuses + <-statuses; got != 200+412 {
			t.Errorf("got statuses that add up to %d, want one 200 and one 412", got)
		}
		row, err := shop.New(e.DB).GetStock(t.Context(), 1)
		if err != nil || row.Version != 2 {
			t.Errorf("got %+v, %v, want version 2", row, err)
		}
	})
}
