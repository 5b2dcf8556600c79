package main

import (
	"bytes"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sqlcas/sqlcas/examples/sandbox/sandboxtest"
	"github.com/sqlcas/sqlcas/gen/shop"
	"github.com/sqlcas/sqlcas/schema"
)

// opened is a database with the accounts 1 and 2, of 100 each.
func opened(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	s := sandboxtest.Open(t, dsn, conns)
	for _, statement := range append(schema.Sqlcas(),
		"INSERT INTO account (id, owner, balance) VALUES (1, 'alice', 100), (2, 'bob', 100)") {
		if _, err := s.DB.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return s.DB
}

// desk is the service in this process.
type desk struct {
	db  *sql.DB
	url string
}

func newDesk(t *testing.T, dsn string) *desk {
	t.Helper()
	db := opened(t, dsn)
	server := httptest.NewServer(handler(newLedgerStore(db), slog.New(slog.DiscardHandler)))
	t.Cleanup(server.Close)
	return &desk{db, server.URL}
}

// post sends a request, with one header Idempotency-Key for each key.
func post(t *testing.T, url, body string, keys ...string) (status int, replayed, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		r.Header.Add("Idempotency-Key", key)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Idempotency-Replayed"), string(got)
}

// expect posts a payment from an account and checks the answer.
func (d *desk) expect(t *testing.T, account, body, key string, status int, replayed string) (text string) {
	t.Helper()
	got, again, text := post(t, d.url+"/accounts/"+account+"/payments", body, key)
	if got != status || again != replayed {
		t.Errorf("account %s, %s, key %s: got %d, replayed %q, %s, want %d, %q",
			account, body, key, got, again, text, status, replayed)
	}
	return text
}

// want checks an account and its ledger.
func (d *desk) want(t *testing.T, id uint64, balance int64, memos ...string) {
	t.Helper()
	a, err := shop.New(d.db).GetAccount(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := shop.New(d.db).ListLedgerEntries(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range entries {
		got += e.Memo + ";"
	}
	if want := strings.Join(append(memos, ""), ";"); a.Balance != balance || got != want {
		t.Errorf("account %d: got %d and %q, want %d and %q", id, a.Balance, got, balance, want)
	}
}

// Ensures on each server that a payment which is asked for again is not made again and gets the same answer, however
// the body is written and the key quoted, and also when the balance has moved meanwhile.
func TestRepeatedPayment(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		d := newDesk(t, s.DSN)
		first := d.expect(t, "1", `{"amount": 30}`, `"a"`, 201, "")
		d.expect(t, "1", `{"amount": 50}`, `"b"`, 201, "")
		for _, body := range []string{`{"amount": 30}`, `{"amount":30}`, "\n{ \"amount\" :\t30 }\n"} {
			for _, key := range []string{`"a"`, `a`} {
				if again := d.expect(t, "1", body, key, 201, "true"); again != first {
					t.Errorf("got %q, want the first answer %q", again, first)
				}
			}
		}
		if want := `{"payment":"a","account":"1","amount":30}` + "\n"; first != want {
			t.Errorf("got %q, want %q", first, want)
		}
		d.want(t, 1, 20, "payment a", "payment b")
	})
}

// Ensures on each server that one key for two payments, of another amount or account, is 422 and changes nothing.
func TestKeyOfAnotherPayment(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		d := newDesk(t, s.DSN)
		d.expect(t, "1", `{"amount":30}`, "a", 201, "")
		d.expect(t, "1", `{"amount":31}`, "a", 422, "")
		d.expect(t, "2", `{"amount":30}`, "a", 422, "")
		d.expect(t, "1", `{"amount":30}`, "A", 201, "") // another key
		d.want(t, 1, 40, "payment a", "payment A")
		d.want(t, 2, 100)
	})
}

// Ensures on each server that a payment for which there is no money is 402 and leaves nothing, so that it is made
// under the same key when there is.
func TestRefusedPayment(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		d := newDesk(t, s.DSN)
		d.expect(t, "1", `{"amount":101}`, "a", 402, "")
		d.expect(t, "1", `{"amount":101}`, "a", 402, "")
		d.want(t, 1, 100)
		const credit = "UPDATE account SET balance = balance + 1, version = version + 1 WHERE id = 1"
		if _, err := d.db.ExecContext(t.Context(), credit); err != nil {
			t.Fatal(err)
		}
		d.expect(t, "1", `{"amount":101}`, "a", 201, "")
		d.expect(t, "1", `{"amount":101}`, "a", 201, "true")
		d.want(t, 1, 0, "payment a")
	})
}

// Ensures that requests which mean nothing are 400, and accounts that there are not 404.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		d := newDesk(t, s.DSN)
		for _, account := range []string{"3", "01", "x", "-1"} {
			d.expect(t, account, `{"amount":1}`, "a", 404, "")
		}
		for _, body := range []string{
			"", "{}", "[]", `{"amount":0}`, `{"amount":-5}`, `{"amount":1.5}`, `{"amount":"1"}`, `{"amount":1}{}`,
			`{"amount":1,"tip":2}`, `{"amount":1000000001}`, `{"amount":` + strings.Repeat(" ", maxBody) + `1}`,
		} {
			d.expect(t, "1", body, "a", 400, "")
		}
		for _, key := range []string{"", `"`, `""`, `"a`, `a"`, `a,b`, `"a";x`, "a b", "é", strings.Repeat("a", maxKey+1)} {
			d.expect(t, "1", `{"amount":1}`, key, 400, "")
		}
		for _, keys := range [][]string{nil, {"a", "a"}} {
			got, _, text := post(t, d.url+"/accounts/1/payments", `{"amount":1}`, keys...)
			if got != 400 || !strings.Contains(text, "send one Idempotency-Key") {
				t.Errorf("%d keys: got %d, %s, want 400", len(keys), got, text)
			}
		}
		d.expect(t, "1", `{"amount":1}`, strings.Repeat("a", maxKey), 201, "")
		d.want(t, 2, 100)
	})
}

// Ensures on each server that the program, whose service is killed while it works, makes each payment once, and
// says so; that answers were lost and payments replayed on the way; and that it reports no failures.
func TestRun(t *testing.T) {
	t.Parallel()
	sandboxtest.Each(t, func(t *testing.T, s sandboxtest.Server) {
		var out, errOut bytes.Buffer
		args := []string{"-payments", "600", "-callers", "32", "-kills", "3"}
		if err := run(t.Context(), args, s.DSN, &out, &errOut); err != nil {
			t.Fatalf("%v: %s%s", err, out.String(), errOut.String())
		}
		text := out.String()
		if !strings.Contains(text, "\nbalanced    yes: ") || strings.Count(text, "kill -9 when ") != 3 {
			t.Errorf("got %s, want three kills and books that balance", text)
		}
		for _, nothing := range []string{
			"\napplied     0 ", "\nreplays     0 ", "\nrefused     0 ", " 0 of them without",
		} {
			if strings.Contains(text, nothing) {
				t.Errorf("got %s, want something else than %q", text, nothing)
			}
		}
		if !strings.Contains(text, "\nunanswered  0 ") || errOut.Len() > 0 {
			t.Errorf("got %s and %q, want all answered", text, errOut.String())
		}
	})
}

// Ensures that a wrong command line, and none that names a server, are errors which say what to do.
func TestRunRefusesBadInput(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"withdb -one":                        nil,
		"give at least 1 for each number":    {"-callers", "0"},
		"and nothing else":                   {"5"},
		"user:password@tcp(host:3306)/":      {"-dsn", "nonsense"},
		"flag provided but not defined: -no": {"-no"},
	} {
		err := run(t.Context(), args, "", io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", args, err, want)
		}
	}
}
