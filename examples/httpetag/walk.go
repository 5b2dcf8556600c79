package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// walk is the walk-through: two clients, and what each request is answered with.
type walk struct {
	base string
	out  io.Writer
	http *http.Client
}

// request is one of the walk's.
type request struct {
	who, method, path string
	ifMatch           string // left out if empty
	body              string
}

// walkThrough tells on out what happens when Ada and Bob edit the same product.
func walkThrough(ctx context.Context, base string, out io.Writer) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	w := &walk{base: base, out: out, http: &http.Client{Transport: transport}}
	const one, two = "/products/1", "/products/2"

	w.say("Ada and Bob read the same product. The ETag stands for its version.")
	ada, err := w.send(ctx, request{who: "Ada", method: "GET", path: one})
	if err != nil {
		return err
	}
	bob, err := w.send(ctx, request{who: "Bob", method: "GET", path: one})
	if err != nil {
		return err
	}
	w.say("Ada sells 4 of it, and says which version that rests on.")
	if _, err = w.send(ctx, request{"Ada", "PUT", one, ada, `{"name":"Chai","onHand":35}`}); err != nil {
		return err
	}
	w.say("Bob, who has not seen that, would overwrite it. 412, with the product as it is now.")
	now, err := w.send(ctx, request{"Bob", "PUT", one, bob, `{"name":"Chai (tea)","onHand":39}`})
	if err != nil {
		return err
	}
	w.say("He decides again, and sends what he has to change alone.")
	if now, err = w.send(ctx, request{"Bob", "PATCH", one, now, `{"name":"Chai (tea)"}`}); err != nil {
		return err
	}
	other, err := w.send(ctx, request{who: "Bob", method: "GET", path: two})
	if err != nil {
		return err
	}
	for _, step := range []struct {
		say string
		request
	}{
		{"Without If-Match nothing is changed: 428.", request{"Bob", "DELETE", one, "", ""}},
		{"Nor with the ETag of another product,", request{"Bob", "DELETE", one, other, ""}},
		{"one that somebody made up,", request{"Bob", "DELETE", one, `"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"`, ""}},
		{"or a weak one, which never matches strongly: 412.", request{"Bob", "DELETE", one, "W/" + now, ""}},
		{"What is no ETag at all is 400.", request{"Bob", "DELETE", one, "3", ""}},
		{"With the right one among several it is gone.", request{"Bob", "DELETE", one, other + ", " + now, ""}},
		{"", request{"Ada", "PUT", one, now, `{"name":"Chai","onHand":1}`}},
		{"And * is for who means it, whatever the version is.", request{"Ada", "PATCH", two, "*", `{"onHand":0}`}},
	} {
		w.say(step.say)
		if _, err := w.send(ctx, step.request); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) say(text string) {
	if text != "" {
		fmt.Fprintf(w.out, "\n%s\n\n", text)
	}
}

// send sends a request, prints it with its answer, and returns the ETag of the answer.
func (w *walk) send(ctx context.Context, q request) (etag string, err error) {
	r, err := http.NewRequestWithContext(ctx, q.method, w.base+q.path, strings.NewReader(q.body))
	if err != nil {
		return "", err
	}
	if q.ifMatch != "" {
		r.Header.Set("If-Match", q.ifMatch)
	}
	switch q.method {
	case http.MethodPut:
		r.Header.Set("Content-Type", "application/json")
	case http.MethodPatch:
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := w.http.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w.out, "  %s  %s %s\n", q.who, q.method, q.path)
	w.header("If-Match: ", q.ifMatch)
	w.header("", q.body)
	fmt.Fprintf(w.out, "       -> %s\n", answer.Status)
	etag = answer.Header.Get("ETag")
	w.header("   ETag: ", etag)
	w.header("   ", strings.TrimSpace(string(body)))
	return etag, nil
}

// header prints a line of a request or an answer.
func (w *walk) header(name, value string) {
	if value != "" {
		fmt.Fprintf(w.out, "       %s%s\n", name, value)
	}
}
