package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
)

// secretEnv is an environment with the tests' secret in it.
func secretEnv(name string) string {
	if name == envSecret {
		return hex.EncodeToString(testSecret)
	}
	return ""
}

// Example ensures that the walk-through happens as it is told.
func Example() {
	if err := run(context.Background(), nil, secretEnv, os.Stdout, os.Stderr); err != nil { // embedded SQLite
		fmt.Println(err)
	}
	// Output:
	// Ada and Bob read the same product. The ETag stands for its version.
	//
	//   Ada  GET /products/1
	//        -> 200 OK
	//           ETag: "bX0__H5YbqsXgAWCW7P-jX0WX2BT4D8f"
	//           {"id":"1","name":"Chai","onHand":39}
	//   Bob  GET /products/1
	//        -> 200 OK
	//           ETag: "bX0__H5YbqsXgAWCW7P-jX0WX2BT4D8f"
	//           {"id":"1","name":"Chai","onHand":39}
	//
	// Ada sells 4 of it, and says which version that rests on.
	//
	//   Ada  PUT /products/1
	//        If-Match: "bX0__H5YbqsXgAWCW7P-jX0WX2BT4D8f"
	//        {"name":"Chai","onHand":35}
	//        -> 200 OK
	//           ETag: "Ej6OiyoJoVVF9Qzvkv-FM5ttXGVNj6Ft"
	//           {"id":"1","name":"Chai","onHand":35}
	//
	// Bob, who has not seen that, would overwrite it. 412, with the product as it is now.
	//
	//   Bob  PUT /products/1
	//        If-Match: "bX0__H5YbqsXgAWCW7P-jX0WX2BT4D8f"
	//        {"name":"Chai (tea)","onHand":39}
	//        -> 412 Precondition Failed
	//           ETag: "Ej6OiyoJoVVF9Qzvkv-FM5ttXGVNj6Ft"
	//           {"title":"Precondition Failed","status":412,"detail":"somebody else has changed the row since","current":{"id":"1","name":"Chai","onHand":35}}
	//
	// He decides again, and sends what he has to change alone.
	//
	//   Bob  PATCH /products/1
	//        If-Match: "Ej6OiyoJoVVF9Qzvkv-FM5ttXGVNj6Ft"
	//        {"name":"Chai (tea)"}
	//        -> 200 OK
	//           ETag: "LVqgIXJo058MgNVO3hz2cCx1ZdSToWfn"
	//           {"id":"1","name":"Chai (tea)","onHand":35}
	//   Bob  GET /products/2
	//        -> 200 OK
	//           ETag: "kaNOORS-ea0taMGGYgFvyhGjZ2Nv51QI"
	//           {"id":"2","name":"Chang","onHand":17}
	//
	// Without If-Match nothing is changed: 428.
	//
	//   Bob  DELETE /products/1
	//        -> 428 Precondition Required
	//           {"title":"Precondition Required","status":428,"detail":"send If-Match with the ETag that GET has given you"}
	//
	// Nor with the ETag of another product,
	//
	//   Bob  DELETE /products/1
	//        If-Match: "kaNOORS-ea0taMGGYgFvyhGjZ2Nv51QI"
	//        -> 412 Precondition Failed
	//           ETag: "LVqgIXJo058MgNVO3hz2cCx1ZdSToWfn"
	//           {"title":"Precondition Failed","status":412,"detail":"If-Match has no strong entity tag of this row","current":{"id":"1","name":"Chai (tea)","onHand":35}}
	//
	// one that somebody made up,
	//
	//   Bob  DELETE /products/1
	//        If-Match: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	//        -> 412 Precondition Failed
	//           ETag: "LVqgIXJo058MgNVO3hz2cCx1ZdSToWfn"
	//           {"title":"Precondition Failed","status":412,"detail":"If-Match has no strong entity tag of this row","current":{"id":"1","name":"Chai (tea)","onHand":35}}
	//
	// or a weak one, which never matches strongly: 412.
	//
	//   Bob  DELETE /products/1
	//        If-Match: W/"LVqgIXJo058MgNVO3hz2cCx1ZdSToWfn"
	//        -> 412 Precondition Failed
	//           ETag: "LVqgIXJo058MgNVO3hz2cCx1ZdSToWfn"
	//           {"title":"Precondition Failed","status":412,"detail":"If-Match has no strong entity tag of this row","current":{"id":"1","name":"Chai (tea)","onHand":35}}
	//
	// What is no ETag at all is 400.
	//
	//   Bob  DELETE /products/1
	//        If-Match: 3
	//        -> 400 Bad Request
	//           {"title":"Bad Request","status":400,"detail":"If-Match: not a list of entity tags: write each in double quotes, as it came: \"...\""}
	//
	// With the right one among several it is gone.
	//
	//   Bob  DELETE /products/1
	//        If-Match: "kaNOORS-ea0taMGGYgFvyhGjZ2Nv51QI", "LVqgIXJo058MgNVO3hz2cCx1ZdSToWfn"
	//        -> 204 No Content
	//   Ada  PUT /products/1
	//        If-Match: "LVqgIXJo058MgNVO3hz2cCx1ZdSToWfn"
	//        {"name":"Chai","onHand":1}
	//        -> 404 Not Found
	//           {"title":"Not Found","status":404,"detail":"there is no such product"}
	//
	// And * is for who means it, whatever the version is.
	//
	//   Ada  PATCH /products/2
	//        If-Match: *
	//        {"onHand":0}
	//        -> 200 OK
	//           ETag: "xoo9mlaMonvVXMBqKWIOPVYw8bWabunk"
	//           {"id":"2","name":"Chang","onHand":0}
}

// Ensures that the walk-through is the same on each server.
func TestWalkThroughOnServers(t *testing.T) {
	t.Parallel()
	var want, errOut bytes.Buffer
	if err := run(t.Context(), nil, secretEnv, &want, &errOut); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Each(t, func(t *testing.T, server sandboxtest.Server) {
		var got, errOut bytes.Buffer
		if err := run(t.Context(), []string{"-dsn", server.DSN}, secretEnv, &got, &errOut); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() || errOut.Len() > 0 {
			t.Errorf("got %s and %q on standard error, want as on SQLite: %s",
				got.String(), errOut.String(), want.String())
		}
	})
}

// Ensures that a program which is told to end answers the request that is in flight, takes no other one,
// and ends without an error.
func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	entered, release := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-release
		if r.Context().Err() != nil {
			t.Error("the context of a request in flight has ended")
		}
		w.WriteHeader(http.StatusTeapot)
	})
	ctx, interrupt := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, handler) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func() (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		answer, err := client.Do(r)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	inFlight := make(chan error, 1)
	go func() {
		status, err := get()
		if err == nil && status != http.StatusTeapot {
			err = fmt.Errorf("status %d", status)
		}
		inFlight <- err
	}()
	<-entered
	interrupt()
	for { // until the listener is closed
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	select {
	case err := <-served:
		close(release)
		t.Fatalf("got %v with a request in flight, want it waited for", err)
	default:
		close(release)
	}
	if err := <-inFlight; err != nil {
		t.Errorf("the request in flight: got %v, want its answer", err)
	}
	if err := <-served; err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// Ensures that the program serves on 127.0.0.1 at the port that it is given, with a secret of its own, and
// that it says so.
func TestServeAtPort(t *testing.T) {
	t.Parallel()
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, said := newFirstWrite()
	ended := make(chan error, 1)
	none := func(string) string { return "" }
	go func() { ended <- run(ctx, []string{"-port", port}, none, out, &bytes.Buffer{}) }()
	select {
	case text := <-said:
		if want := "http://127.0.0.1:" + port + "/products/1 on embedded SQLite "; !strings.HasPrefix(text, want) {
			t.Errorf("got %q, want it to start with %q", text, want)
		}
	case err := <-ended:
		t.Fatal(err)
	}
	url := "http://127.0.0.1:" + port + "/products/1"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != 200 || answer.Header.Get("ETag") == "" {
		t.Errorf("got %s, want the product", answer.Status)
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// firstWrite passes on what is written first.
type firstWrite chan string

func newFirstWrite() (firstWrite, <-chan string) {
	c := make(firstWrite, 1)
	return c, c
}

// Write is io.Writer's.
func (c firstWrite) Write(text []byte) (int, error) {
	select {
	case c <- string(text):
	default:
	}
	return len(text), nil
}

// Ensures that a wrong command line or secret is an error that names the mend and not the secret.
func TestRunRefusesBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args         []string
		secret, want string
	}{
		"argument":     {[]string{"8080"}, "", `"8080" is no flag`},
		"port":         {[]string{"-port", "70000"}, "", "invalid port"},
		"dsn":          {[]string{"-dsn", "nonsense"}, "", "write it as user:password@tcp(host:3306)/"},
		"short secret": {nil, "0707", envSecret + ": the secret has 2 bytes: give at least 32 random ones"},
		"no hex":       {nil, "hunter2", envSecret + " is not hex: make one by openssl rand -hex 32"},
	} {
		getenv := func(name string) string {
			if name == envSecret {
				return c.secret
			}
			return ""
		}
		var out, errOut bytes.Buffer
		err := run(t.Context(), c.args, getenv, &out, &errOut)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
